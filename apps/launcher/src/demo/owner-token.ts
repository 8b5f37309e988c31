import { hostname, userInfo } from 'node:os';
import { defaultCommandLineClient } from '#infra/runtime';
import { importJWK, type JWK, SignJWT } from 'jose';

/** Longer than any run; it is gone with run.json. */
const lifetime = '1 year';

/**
 * What names whoever has this machine to its own command line, as `<issuer>#machine:<user>` (PEO-11): whoever may read
 * run.json, which lies there for this user alone.
 * @param signingKey the provider's own, private
 */
export async function ownerToken(issuer: string, signingKey: JWK): Promise<string> {
  const { username } = userInfo();
  const name = `${username}@${hostname()}`;
  return tokenOf({ issuer, signingKey }, { subject: `machine:${username}`, name });
}

/**
 * What the demo's admins sign in with, for the minutes in which npm start has them grant the demo's roles: the log takes
 * no typed name for them (PEO-40).
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
