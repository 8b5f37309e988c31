import { refusedAnswer, type RefusedAnswer, signatureAlgorithms } from '#shared/openid';
import { type Issuer, unreachable } from './issuer.js';
import { Refused } from './refused.js';

/** The refusal that says why an answer of the issuer signed no one in, and what to do. */
export function signInRefused(thrown: unknown, issuer: Issuer): Refused {
  if (thrown instanceof Refused) return thrown;
  const facts = refusedAnswer(thrown);
  if (isAway(thrown, facts)) return unreachable(issuer.url);
  return notSignedIn(wordsOf(facts, issuer));
}

export function notSignedIn(why: string): Refused {
  return new Refused([`you are not signed in: ${why}`]);
}

/** The words for a token that is signed in a way that proves nothing to us. */
export function wordsOfAlgorithm(alg: string, { clientId }: Issuer): string {
  const accepted = signatureAlgorithms.join(' or ');
  return `the issuer signs with ${alg}, and only ${accepted} is accepted: set that for the client ${clientId} at the issuer`;
}

function wordsOf(
  { code, error, status, alg, claim, found }: RefusedAnswer,
  issuer: Issuer,
): string {
  const { clientId, url } = issuer;
  if (alg !== undefined) return wordsOfAlgorithm(alg, issuer);
  if (found !== undefined) return `the answer is of the issuer ${found}, and ${url} is set`;
  if (status === 401 || error === 'invalid_client' || error === 'unauthorized_client')
    return `the issuer does not let the client ${clientId} sign people in so (${error ?? code}): OIDC_CLI_CLIENT_ID names a public client with this flow`;
  if (error === undefined)
    return `the issuer’s answer cannot be trusted (${claim === undefined ? code : `its ${claim}`})`;
  const known: Readonly<Record<string, string>> = {
    access_denied: 'you declined, or the issuer does not let you in',
    expired_token: 'the code was not confirmed in time',
    invalid_scope: `the client ${clientId} lacks the scope profile at the issuer`,
  };
  return `${known[error] ?? 'the issuer refused it'} (${error})`;
}

/** Codes of the library for an issuer that gave no answer, or one of another server. */
const awayCodes: ReadonlySet<string> = new Set(['OAUTH_TIMEOUT', 'OAUTH_ABORT']);

function isAway(thrown: unknown, { code, status = 0, error }: RefusedAnswer): boolean {
  const isSilent = awayCodes.has(code) || thrown instanceof TypeError;
  return isSilent || status >= 500 || error === 'temporarily_unavailable';
}
