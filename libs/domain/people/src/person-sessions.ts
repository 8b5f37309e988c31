/** Where people are signed in, in browsers and on command lines. */
export abstract class PersonSessions {
  /**
   * Ends every session of a person: no cookie and no token that was given before counts from now on.
   * @param person as `personId` writes it
   * @throws DependencyUnavailable
   */
  abstract endAllOf(person: string): Promise<void>;
}
