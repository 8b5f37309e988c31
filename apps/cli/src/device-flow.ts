import { notSignedIn, signInRefused } from './sign-in-refused.js';
import { type Anew, type KnownIssuer, longestWaitMs, type Tokens } from './known-issuer.js';

/**
 * Signs a person in by a code that they confirm in any browser (PEO-12).
 * @param anew undefined if the issuer need not ask a person whom it remembers
 * @throws Refused
 */
export async function tokensByDevice(
  { client, configuration, issuer }: KnownIssuer,
  anew: Anew | undefined,
): Promise<Tokens> {
  let signal: AbortSignal | undefined;
  try {
    const begun = await client.initiateDeviceAuthorization(configuration, {
      scope: 'openid profile',
      ...(anew && parametersOf(anew)),
    });
    // These words are for a person, so the command always prints them as they came.
    process.stderr.write(`open ${begun.verification_uri} and type the code ${begun.user_code}\n`);
    signal = AbortSignal.timeout(Math.min(longestWaitMs, begun.expires_in * 1000));
    const tokens = await client.pollDeviceAuthorizationGrant(configuration, begun, undefined, {
      signal,
    });
    const { id_token: idToken, refresh_token: refreshToken } = tokens;
    if (idToken !== undefined) return { idToken, refreshToken };
  } catch (error) {
    if (signal?.aborted) throw notSignedIn('the code was not confirmed in time');
    throw signInRefused(error, issuer);
  }
  throw notSignedIn('the issuer did not say who you are');
}

/**
 * Parameters that the flow's standard does not have. An issuer that does not know them does not ask again, which its
 * answer shows. Keycloak ignores them.
 */
function parametersOf({ proof: { asked }, nonce }: Anew): Record<string, string> {
  return {
    // Issuers take 0 for `prompt=login`, and some leave that out of this flow.
    max_age: '1',
    prompt: 'login',
    ...(asked.length > 0 && { acr_values: asked.join(' ') }),
    ...(nonce !== undefined && { nonce }),
  };
}
