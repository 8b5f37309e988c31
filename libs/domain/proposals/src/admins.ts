import { type Instant } from '#domain/kernel';

/** `no_roles`: the log never had a role, so there is no admin. */
export type Standing = 'admin' | 'no_admin' | 'no_roles';

/** Finds the standing of a person, from the log as it is now. */
export abstract class Admins {
  /**
   * @param by as `actor.id`
   * @throws DependencyUnavailable
   */
  abstract standingOf(by: string): Promise<Standing>;
  /**
   * True if a person was suspended at this moment or later. Their earlier proposals have then ended (PEO-56).
   * @throws DependencyUnavailable
   */
  wasSuspendedSince(_person: string, _since: Instant): Promise<boolean> {
    return Promise.resolve(false);
  }
  /** False if both may be one person, for example a person whom two issuers name (PEO-17). */
  abstract areTwo(one: string, other: string): boolean;
}
