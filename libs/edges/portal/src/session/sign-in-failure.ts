import { Logger } from '@nestjs/common';
import { type RefusedAnswer, refusedAnswer } from '#shared/openid';
// This imports types as a whole: an import of names that are marked as types would remain when empty, and load the
// library.
import type { ServerMetadata } from 'openid-client';

type Client = typeof import('openid-client');

/**
 * The reason why a sign-in failed: the provider is down, the settings of the two sides disagree, its answer cannot be
 * trusted, it proves too little, or the person or the provider said no.
 */
export type WhyFailed = 'unavailable' | 'misconfigured' | 'untrusted' | 'weak' | 'denied';

/** The `acr` of a proof that is not enough, and the values that are. */
export interface WeakProof {
  /** Undefined if the token has no `acr`, or one that is no text. */
  readonly received: string | undefined;
  readonly required: readonly string[];
}

export class SignInFailure extends Error {
  override readonly name = 'SignInFailure';
  readonly proof: WeakProof | undefined;

  constructor(
    readonly why: WhyFailed,
    { proof, ...options }: ErrorOptions & { readonly proof?: WeakProof } = {},
  ) {
    super(why, options);
    this.proof = proof;
  }
}

const log = new Logger('portal');

/** The library's codes for a missing answer: there is no server, or another server answered. */
const awayCodes: ReadonlySet<string> = new Set([
  'OAUTH_TIMEOUT',
  'OAUTH_ABORT',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
]);

/** OAuth errors by their reason. Any other error of an answer is a fault of the settings. */
const whyByError: Readonly<Record<string, WhyFailed>> = {
  access_denied: 'denied',
  login_required: 'denied',
  consent_required: 'denied',
  interaction_required: 'denied',
  account_selection_required: 'denied',
  server_error: 'unavailable',
  temporarily_unavailable: 'unavailable',
  // The code came too late, or a second time.
  invalid_grant: 'untrusted',
  unmet_authentication_requirements: 'weak',
};

/** Names the reason of an error at the provider's answer, and logs its facts. */
export function failureOf(client: Client, thrown: unknown, configured: string): SignInFailure {
  if (thrown instanceof SignInFailure) return thrown;
  const facts = refusedAnswer(thrown);
  const why = whyOf(client, thrown, facts);
  const { found } = facts;
  log.warn({
    msg: 'an answer of the identity provider was refused',
    why,
    ...facts,
    ...(found !== undefined && { configured }),
  });
  return new SignInFailure(why, { cause: thrown });
}

function whyOf(client: Client, thrown: unknown, facts: RefusedAnswer): WhyFailed {
  const { code, error = '', status = 0, alg } = facts;
  if (thrown instanceof client.AuthorizationResponseError)
    return whyByError[error] ?? 'misconfigured';
  if (thrown instanceof client.ResponseBodyError)
    return isAwayStatus(status) ? 'unavailable' : (whyByError[error] ?? 'misconfigured');
  if (thrown instanceof client.WWWAuthenticateChallengeError || alg !== undefined)
    return 'misconfigured';
  return awayCodes.has(code) || isUnreachable(thrown) ? 'unavailable' : 'untrusted';
}

/** Names the reason why the provider's document cannot be used, and logs the configured and the found issuer. */
export function discoveryFailureOf(thrown: unknown, configured: string): SignInFailure {
  const facts = refusedAnswer(thrown);
  const { found, status = 0 } = facts;
  if (found !== undefined) return otherIssuer(configured, found);
  const isElsewhere = status >= 400 && !isAwayStatus(status);
  const why = isElsewhere ? 'misconfigured' : 'unavailable';
  const msg = isElsewhere
    ? 'there is no identity provider at OIDC_ISSUER'
    : 'the identity provider could not be asked';
  log.warn({ msg, configured, ...facts });
  return new SignInFailure(why, { cause: thrown });
}

/**
 * The library takes `https://id.example/` for `https://id.example`. Events name people by the exact name of the issuer,
 * so this rejects any other spelling.
 * @throws SignInFailure if the provider spells its name otherwise
 */
export function namedAs(issuer: string, metadata: ServerMetadata): ServerMetadata {
  if (metadata.issuer === issuer) return metadata;
  throw otherIssuer(issuer, metadata.issuer);
}

function otherIssuer(configured: string, found: string): SignInFailure {
  log.warn({
    msg: 'OIDC_ISSUER is not the name that the provider gives itself',
    configured,
    found,
  });
  return new SignInFailure('misconfigured');
}

/** True if the provider is busy or broken, and not wrongly asked. */
function isAwayStatus(status: number): boolean {
  return status >= 500 || status === 429;
}

/** True if `fetch` got no answer. The library passes its error on, or wraps it. */
function isUnreachable(error: unknown): boolean {
  const { message, cause } = error as { readonly message?: unknown; readonly cause?: unknown };
  return (
    message === 'fetch failed' ||
    (typeof cause === 'object' && cause !== null && isUnreachable(cause))
  );
}
