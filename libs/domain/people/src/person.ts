/** Who somebody is, as an issuer of identities (OpenID Connect) says. */
export interface Person {
  /** The issuer's URL, as in its tokens. */
  readonly issuer: string;
  /** The issuer's name for the person; it never changes and is never given to another. */
  readonly subject: string;
}

/** How a person stands in events, as `actor.id`: `<issuer>#<subject>`. No issuer's URL holds a fragment. */
export function personId({ issuer, subject }: Person): string {
  return `${issuer}#${subject}`;
}

/**
 * @returns undefined where the text names no issuer's subject, as names of before there was an issuer, and as holders of
 * credentials: `till #2` is nobody
 */
export function personOf(id: string): Person | undefined {
  const mark = id.indexOf('#');
  if (!/^https?:\/\/[^#\s]+#./.test(id)) return undefined;
  return { issuer: id.slice(0, mark), subject: id.slice(mark + 1) };
}

/**
 * Whether both are people, named by different issuers: after OIDC_ISSUER was changed one person has two names, so they may
 * be one (PEO-17).
 */
export function areOfTwoIssuers(one: string, other: string): boolean {
  const [first, second] = [personOf(one), personOf(other)];
  return first !== undefined && second !== undefined && first.issuer !== second.issuer;
}

/** Whoever has a machine of `npm start` (PEO-11): people's issuers give no such subject. */
export function isMachinesOwner({ subject }: Person): boolean {
  return /^machine:./.test(subject);
}
