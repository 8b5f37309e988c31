/** A person as an issuer of identities (OpenID Connect) names them. */
export interface Person {
  /** The issuer's URL, as in its tokens. */
  readonly issuer: string;
  /** The issuer's name for the person. It never changes and never goes to another person. */
  readonly subject: string;
}

/** Returns a person's id in events, as in `actor.id`: `<issuer>#<subject>`. No issuer's URL contains a fragment. */
export function personId({ issuer, subject }: Person): string {
  return `${issuer}#${subject}`;
}

/**
 * Reads a person's id.
 * @returns undefined if the text is no issuer's subject, such as a name from before there was an issuer or a holder of
 * credentials: `till #2` is no person
 */
export function personOf(id: string): Person | undefined {
  const mark = id.indexOf('#');
  if (!/^https?:\/\/[^#\s]+#./.test(id)) return undefined;
  return { issuer: id.slice(0, mark), subject: id.slice(mark + 1) };
}

/**
 * True if both are people whom different issuers name. After a change of OIDC_ISSUER one person has two names, so they
 * may be one person (PEO-17).
 */
export function areOfTwoIssuers(one: string, other: string): boolean {
  const [first, second] = [personOf(one), personOf(other)];
  return first !== undefined && second !== undefined && first.issuer !== second.issuer;
}

/** True for the owner of a machine of `npm start` (PEO-11). People's issuers assign no such subject. */
export function isMachinesOwner({ subject }: Person): boolean {
  return /^machine:./.test(subject);
}
