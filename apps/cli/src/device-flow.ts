import { type StepUpProof } from '#domain/people';
import { type Issuer, unreachable } from './issuer.js';
import { Refused } from './refused.js';

/** How long a person may take at the browser, whatever the issuer allows. */
const longestWaitMs = 10 * 60_000;

/** A sign-in that the person proves again, whatever the issuer remembers. */
export interface Anew {
  readonly proof: StepUpProof;
  /** What the issuer is to sign, where it signs one in this flow. */
  readonly nonce?: string;
}

/**
 * Signs a person in by a code that they confirm in a browser (PEO-12).
 * @param anew undefined: a person whom the issuer knows already is not asked again
 * @returns who the issuer says it is, in its own signed words
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
    // A person reads it, whatever is read from the answer.
    process.stderr.write(`open ${begun.verification_uri} and type the code ${begun.user_code}\n`);
    const signal = AbortSignal.timeout(Math.min(longestWaitMs, begun.expires_in * 1000));
    const tokens = await client.pollDeviceAuthorizationGrant(configuration, begun, undefined, {
      signal,
    });
    if (tokens.id_token !== undefined) return tokens.id_token;
  } catch (error) {
    const { error: code } = error as { readonly error?: unknown };
    const why = typeof code === 'string' ? code : 'nobody confirmed the code in time';
    throw new Refused([`you are not signed in: ${why}`]);
  }
  throw new Refused(['you are not signed in: the issuer did not say who you are']);
}

/** The flow's standard has none of them: an issuer that does not know them asks nobody again, which its answer tells. */
function parametersOf({ proof: { asked }, nonce }: Anew): Record<string, string> {
  return {
    // 0 means `prompt=login` to issuers, and some leave that out of this flow.
    max_age: '1',
    prompt: 'login',
    ...(asked.length > 0 && { acr_values: asked.join(' ') }),
    ...(nonce !== undefined && { nonce }),
  };
}
