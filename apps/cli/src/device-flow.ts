import { type StepUpProof } from '#domain/people';
import { type Issuer, unreachable } from './issuer.js';
import { Refused } from './refused.js';

/** Longest time that a person may take at the browser, even if the issuer allows more. */
const longestWaitMs = 10 * 60_000;

/** A sign-in that the person proves again, even if the issuer remembers them. */
export interface Anew {
  readonly proof: StepUpProof;
  /** A text that the issuer signs, if it supports a nonce in this flow. */
  readonly nonce?: string;
}

/**
 * Signs a person in by a code that they confirm in a browser (PEO-12).
 * @param anew undefined if the issuer need not ask a person whom it remembers
 * @returns the identity token that the issuer signed
 * @throws Refused
 */
export async function tokenByDevice({ url, clientId }: Issuer, anew?: Anew): Promise<string> {
  const client = await import('openid-client');
  // eslint-disable-next-line @typescript-eslint/no-deprecated -- an issuer on this machine has no certificate; live mode refuses it
  const execute = url.startsWith('http:') ? [client.allowInsecureRequests] : [];
  const configuration = await client
    .discovery(new URL(url), clientId, {}, client.None(), { execute })
    .catch(() => {
      throw unreachable(url);
    });
  client.enableNonRepudiationChecks(configuration);
  try {
    const begun = await client.initiateDeviceAuthorization(configuration, {
      scope: 'openid profile',
      ...(anew && parametersOf(anew)),
    });
    // These words are for a person, so the command always prints them as they came.
    process.stderr.write(`open ${begun.verification_uri} and type the code ${begun.user_code}\n`);
    const signal = AbortSignal.timeout(Math.min(longestWaitMs, begun.expires_in * 1000));
    const tokens = await client.pollDeviceAuthorizationGrant(configuration, begun, undefined, {
      signal,
    });
    if (tokens.id_token !== undefined) return tokens.id_token;
  } catch (error) {
    const { error: code } = error as { readonly error?: unknown };
    const why = typeof code === 'string' ? code : 'the code was not confirmed in time';
    throw new Refused([`you are not signed in: ${why}`]);
  }
  throw new Refused(['you are not signed in: the issuer did not say who you are']);
}

/**
 * Parameters that the flow's standard does not have. An issuer that does not know them does not ask again, which its
 * answer shows.
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
