import { type Failure } from '../errors/failure.js';

/** How often and after how long a call is retried. */
export interface RetryPolicy {
  /** Retries after the first try; 0 for none. */
  readonly max: number;
  /** The delay before the first retry. It doubles for each further one, and is reduced by up to half at random. */
  readonly baseDelayMs: number;
  /** The longest delay. If the service asks for more by Retry-After, the call fails at once with that value. */
  readonly maxDelayMs: number;
}

/** Together about as long as the rail takes to answer a push whose caller's connection broke. */
export const defaultRetries: RetryPolicy = { max: 4, baseDelayMs: 500, maxDelayMs: 20_000 };

/**
 * True if the same call may get another answer: no answer came (no connection, a broken one, a timeout), or the answer
 * was 429, 503 or 409 idempotency_in_progress. Any other answer is final (SDK-1).
 */
export function isRetryable(failure: Failure): boolean {
  if (failure.kind === 'network' || failure.kind === 'timeout') return true;
  if (failure.kind === 'not_settled' || 'differs' in failure) return false;
  return (
    failure.status === 429 || failure.status === 503 || failure.code === 'idempotency_in_progress'
  );
}

/**
 * Returns the delay before a retry (SDK-2).
 * @param retry 1 for the first retry
 * @param random from 0 up to, not including, 1
 * @returns undefined if the failure is final
 */
export function retryDelayMs(
  failure: Failure,
  retry: number,
  policy: RetryPolicy,
  random: number,
): number | undefined {
  if (retry > policy.max || !isRetryable(failure)) return undefined;
  const backoff = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (retry - 1));
  const jittered = backoff * (1 - random / 2);
  const askedMs = 'retryAfterSeconds' in failure ? (failure.retryAfterSeconds ?? 0) * 1000 : 0;
  if (askedMs > policy.maxDelayMs) return undefined;
  // All callers received the same time, so each waits a little longer at random.
  return askedMs === 0 ? jittered : Math.max(jittered, askedMs + random * policy.baseDelayMs);
}
