import { type Clock } from '#domain/kernel';
import { entryLifeSeconds } from '#infra/redis';
import { hashSecret, stringToSign, verifyV4 } from '#shared/signing';
import { problem } from '../errors.js';
import { type Admissions, rateLimitProblem } from './rate-limit.js';
import { type AuthenticationAttempt } from './authentication-attempt.js';
import { type CredentialCache } from './credential-cache.js';
import { signatureDetail, timestampDetail } from './demo-details.js';

/** Whom the checks ask. */
export interface CheckContext {
  readonly clock: Clock;
  readonly credentials: Pick<CredentialCache, 'find'>;
  readonly admissions: Pick<Admissions, 'admit'>;
}

/** Passes, or throws the Problem that answers. */
type Check = (attempt: AuthenticationAttempt, context: CheckContext) => void | Promise<void>;

/** How far a timestamp may be from our clock, either side. */
export const timestampToleranceMs = 300_000;

/** Longer than a timestamp lives on both sides together, so a nonce outlives every signature over it. */
export const nonceTtlSeconds = entryLifeSeconds;

const bearerPattern = /^bearer +([A-Za-z0-9._~+/-]+=*)$/i;
export const timestampPattern = /^[0-9]{1,12}$/;
export const noncePattern = /^[A-Za-z0-9_-]{16,64}$/;

const tokenKnown: Check = async (attempt, { credentials, clock }) => {
  const [, token] = bearerPattern.exec(attempt.header('authorization') ?? '') ?? [];
  const hash = token === undefined ? undefined : hashSecret(token);
  const holder = hash && (await credentials.find(hash));
  if (!holder || holder.expiresAtMs <= clock.nowMs())
    throw problem('invalid_token', {
      headers: { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
    });
  attempt.credential = holder.credential;
};

const addressAllowed: Check = ({ address, credential }) => {
  if (address === undefined || !credential.addresses.has(address)) throw problem('ip_not_allowed');
};

const headersPresent: Check = (attempt) => {
  attempt.signatureHeaders();
};

const timestampFresh: Check = (attempt, { clock }) => {
  const { timestamp } = attempt.signatureHeaders();
  const aheadMs = Number(timestamp) * 1000 - clock.nowMs();
  if (!timestampPattern.test(timestamp) || Math.abs(aheadMs) > timestampToleranceMs) {
    const { mode } = attempt.credential;
    throw problem('timestamp_expired', timestampDetail({ mode, now: clock.now() }));
  }
};

const signatureVerifies: Check = (attempt, { clock }) => {
  const text = stringToSign(attempt.signed());
  const { mode, publicKey } = attempt.credential;
  if (!text.ok || !verifyV4(publicKey.key, text.value, attempt.signatureHeaders().signature)) {
    const verified = text.ok ? text.value : undefined;
    throw problem('invalid_signature', signatureDetail({ mode, now: clock.now() }, verified));
  }
};

const nonceWellFormed: Check = (attempt) => {
  if (!noncePattern.test(attempt.signatureHeaders().nonce)) throw problem('invalid_nonce');
};

/**
 * Nonce, rate and memory in one step and one round trip. A nonce seen before is told so first; what is refused leaves
 * no nonce.
 */
const admitted: Check = async (attempt, { admissions }) => {
  const { credentialId, rate } = attempt.credential;
  const { nonce } = attempt.signatureHeaders();
  const admission = await admissions.admit({ credentialId, nonce, rate });
  if (admission.kind === 'nonce_reused') throw problem('nonce_reused');
  attempt.rateLimit = admission;
  if (admission.kind !== 'ok') throw rateLimitProblem(admission.retryAfterMs);
};

const bodyIsJson: Check = ({ demands, body }) => {
  if (!demands.body) return;
  if (body?.mediaType !== 'application/json') throw problem('unsupported_media_type');
  const json = body.json();
  if (!json.ok) throw problem('invalid_request', { detail: 'The body must be JSON in UTF-8.' });
  if (typeof json.value !== 'object' || json.value === null || Array.isArray(json.value))
    throw problem('invalid_request', { detail: 'The body must be a JSON object.' });
};

const keyWellFormed: Check = ({ demands, idempotencyKey }) => {
  if (demands.idempotencyKey && !idempotencyKey.ok) throw problem(idempotencyKey.refusal);
};

/** In the order of AUTH-1: the first that fails answers. Body and query fields follow, in pipes. */
export const checks: readonly Check[] = [
  tokenKnown,
  addressAllowed,
  headersPresent,
  timestampFresh,
  signatureVerifies,
  nonceWellFormed,
  admitted,
  bodyIsJson,
  keyWellFormed,
];
