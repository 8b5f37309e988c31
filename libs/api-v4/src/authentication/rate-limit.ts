import { type Problem } from '#http';
import { type RateLimitState } from '#redis';
import { type Rate } from '#runtime';
import { problem } from '../errors.js';

/**
 * 429 with the rate's state in the header fields of draft-ietf-httpapi-ratelimit-headers: the policy's quota and
 * window in seconds, what is left of it and in how many seconds it is whole again.
 */
export function rateLimitProblem(
  rate: Rate,
  state: RateLimitState & { readonly retryAfterMs: number },
): Problem {
  return problem('rate_limited', {
    headers: {
      'Retry-After': seconds(state.retryAfterMs),
      'RateLimit-Policy': `"credential";q=${rate.limit};w=${seconds(rate.intervalMs)}`,
      RateLimit: `"credential";r=${state.remaining};t=${seconds(state.resetMs)}`,
    },
  });
}

/** Whole seconds, rounded up: whoever waits that long has waited long enough. */
export function seconds(ms: number): string {
  return Math.max(1, Math.ceil(ms / 1000)).toString();
}
