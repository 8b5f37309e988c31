import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { errorKinds, type ErrorCode } from '../errors/error-codes.js';
import { type AnsweredFailure, type Failure } from '../errors/failure.js';
import { readRetryAfter } from './read-answer.js';
import { defaultRetries, isRetryable, type RetryPolicy, retryDelayMs } from './retry.js';

const policy: RetryPolicy = { max: 4, baseDelayMs: 100, maxDelayMs: 5_000 };
const network: Failure = { code: 'network_failure', kind: 'network' };
const answered = (code: ErrorCode, status: number, retryAfterSeconds?: number): Failure =>
  ({
    code,
    kind: errorKinds[code],
    status,
    retryAfterSeconds,
    requestId: undefined,
    detail: undefined,
  }) as AnsweredFailure;

describe('a failed call', () => {
  it('is retryable only after no answer, 429, 503 or idempotency_in_progress', () => {
    const repeatable = Object.keys(errorKinds).filter((code) =>
      isRetryable(answered(code as ErrorCode, statusOf(code as ErrorCode))),
    );
    expect(repeatable).toEqual(['idempotency_in_progress', 'rate_limited', 'service_unavailable']);
    expect(isRetryable(network)).toBe(true);
    expect(isRetryable({ code: 'timeout', kind: 'timeout', timeoutMs: 1 })).toBe(true);
    const proxy = { code: 'unexpected_answer', kind: 'unknown', requestId: undefined } as const;
    const statuses = [200, 302, 404, 429, 500, 502, 503, 504].filter((status) =>
      isRetryable({ ...proxy, status, retryAfterSeconds: undefined }),
    );
    expect(statuses).toEqual([429, 503]);
  });

  it('is retried four times by default, after 500 ms to 20 s (SDK-2)', () => {
    expect(defaultRetries).toEqual({ max: 4, baseDelayMs: 500, maxDelayMs: 20_000 });
  });

  it('is retried after doubling delays, reduced by up to half at random, and not for ever', () => {
    const delays = (random: number) =>
      [1, 2, 3, 4, 5].map((retry) => retryDelayMs(network, retry, policy, random));
    expect(delays(0)).toEqual([100, 200, 400, 800, undefined]);
    expect(delays(0.5)).toEqual([75, 150, 300, 600, undefined]);
    expect(retryDelayMs(network, 1, { ...policy, max: 0 }, 0)).toBeUndefined();
  });

  it('waits as long as the service asks, and gives up at once if that is too long', () => {
    const asked = (seconds: number) =>
      retryDelayMs(answered('rate_limited', 429, seconds), 1, policy, 0.5);
    expect(asked(2)).toBe(2_050);
    expect(asked(5)).toBe(5_050);
    expect(asked(6)).toBeUndefined();
    expect(asked(0)).toBe(75);
  });

  it('never waits less than requested, or longer than the policy and its jitter', () => {
    const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
    fc.assert(
      fc.property(fc.nat(10), fc.integer({ min: 1, max: 9 }), random, (seconds, retry, dice) => {
        const delay = retryDelayMs(answered('rate_limited', 429, seconds), retry, policy, dice);
        if (delay === undefined) return retry > policy.max || seconds > 5;
        return delay >= seconds * 1000 && delay <= policy.maxDelayMs + policy.baseDelayMs;
      }),
    );
  });
});

describe('Retry-After', () => {
  it.each([
    ['7', 7],
    ['0', 0],
    ['Thu, 01 Jan 2026 00:00:10 GMT', 10],
    ['Wed, 31 Dec 2025 23:00:00 GMT', 0],
    ['soon', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('%s is %s s', (text, seconds) => {
    expect(readRetryAfter(text, Date.parse('2026-01-01T00:00:00Z'))).toBe(seconds);
  });
});

/** Returns the status by the contract's tables, for the codes that matter here. */
function statusOf(code: ErrorCode): number {
  if (code === 'rate_limited') return 429;
  if (code === 'service_unavailable') return 503;
  if (code === 'rail_rejected') return 502;
  return code === 'idempotency_in_progress' ? 409 : 422;
}
