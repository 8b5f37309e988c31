/** `no_roles`: the log never had a role, so there is no admin. */
export type Standing = 'admin' | 'no_admin' | 'no_roles';

/** Answers who is an admin, from the log as it is now. */
export abstract class Admins {
  /** @param by as `actor.id`. @throws DependencyUnavailable */
  abstract standingOf(by: string): Promise<Standing>;
  /** False if both may be one person, such as one whom two issuers name (PEO-17). */
  abstract areTwo(one: string, other: string): boolean;
}
