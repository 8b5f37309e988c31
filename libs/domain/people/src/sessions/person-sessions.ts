/** The sessions of people, in browsers and on command lines. */
export abstract class PersonSessions {
  /**
   * Ends every session of a person. From now on no earlier cookie or token counts.
   * @param person as `personId` writes it
   * @throws DependencyUnavailable
   */
  abstract endAllOf(person: string): Promise<void>;
  /**
   * Ends one session of a person. It changes nothing if the session is another person's.
   * @param hash the session's id
   * @throws DependencyUnavailable
   */
  abstract endOneOf(person: string, hash: Buffer): Promise<void>;
}
