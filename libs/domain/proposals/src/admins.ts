import { type Instant } from '#domain/kernel';

/** `no_roles`: the log never had a role, so there is no admin. */
export type Standing = 'admin' | 'no_admin' | 'no_roles';

/** Answers who is an admin, from the log as it is now. */
export abstract class Admins {
  /** @param by as `actor.id`. @throws DependencyUnavailable */
  abstract standingOf(by: string): Promise<Standing>;
  /**
   * True if a person was suspended at a moment or later: what they proposed before has ended (PEO-56).
   * @throws DependencyUnavailable
   */
  wasSuspendedSince(_person: string, _since: Instant): Promise<boolean> {
    return Promise.resolve(false);
  }
  /** False if both may be one person, such as one whom two issuers name (PEO-17). */
  abstract areTwo(one: string, other: string): boolean;
}
