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
  return new SignJWT({ name: `${username}@${hostname()}` })
    .setProtectedHeader({ alg: 'RS256', kid: signingKey.kid ?? '' })
    .setIssuer(issuer)
    .setSubject(`machine:${username}`)
    .setAudience(defaultCommandLineClient)
    .setIssuedAt()
    .setExpirationTime(lifetime)
    .sign(await importJWK(signingKey, 'RS256'));
}
