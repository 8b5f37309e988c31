import { hostname, userInfo } from 'node:os';
import { defaultCommandLineClient } from '#infra/runtime';
import { importJWK, type JWK, SignJWT } from 'jose';

/** Longer than any run; the token disappears with run.json. */
const lifetime = '1 year';

/**
 * Returns the token that names the machine's owner to the command line, as `<issuer>#machine:<user>` (PEO-11). The
 * owner is the user who can read run.json, and only one user can.
 * @param signingKey the provider's own, private
 */
export async function ownerToken(issuer: string, signingKey: JWK): Promise<string> {
  const { username } = userInfo();
  const name = `${username}@${hostname()}`;
  return tokenOf({ issuer, signingKey }, { subject: `machine:${username}`, name });
}

/**
 * Returns the token that signs a demo admin in for the minutes in which npm start grants the demo's roles. The log
 * accepts no typed name for a grant (PEO-40).
 */
export function adminToken(
  provider: { readonly issuer: string; readonly signingKey: JWK },
  person: { readonly subject: string; readonly name: string },
): Promise<string> {
  const now = { auth_time: Math.floor(Date.now() / 1000), acr: 'pwd' };
  return tokenOf(provider, { ...person, ...now, lifetime: '5 minutes' });
}

async function tokenOf(
  { issuer, signingKey }: { readonly issuer: string; readonly signingKey: JWK },
  {
    subject,
    lifetime: until = lifetime,
    ...claims
  }: { readonly subject: string; readonly name: string; readonly lifetime?: string },
): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', kid: signingKey.kid ?? '' })
    .setIssuer(issuer)
    .setSubject(subject)
    .setAudience(defaultCommandLineClient)
    .setIssuedAt()
    .setExpirationTime(until)
    .sign(await importJWK(signingKey, 'RS256'));
}
