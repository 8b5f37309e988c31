import { personOf } from '#domain/people';

/**
 * True for an id, as events name people, of our own issuer. A person of another issuer could never sign in and use a
 * role.
 */
export function isPersonOf(text: string, issuer: string | undefined): boolean {
  return personOf(text)?.issuer === issuer && /^\S{3,500}$/.test(text);
}
