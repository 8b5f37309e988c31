/** The sessions of people, in browsers and on command lines. */
export abstract class PersonSessions {
  /**
   * Ends every session of a person. From now on no earlier cookie or token counts.
   * @param person as `personId` writes it
   * @throws DependencyUnavailable
   */
  abstract endAllOf(person: string): Promise<void>;
}
