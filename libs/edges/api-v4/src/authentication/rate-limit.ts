import { type Problem } from '#shared/http';
import {
  type Admission,
  type AdmissionRequest,
  admitRequest,
  type RateLimitState,
  RedisStore,
} from '#infra/redis';
import { type Rate } from '#infra/runtime';
import { problem } from '../errors.js';
import { Injectable } from '@nestjs/common';
import { ApiV4Options } from '../api-v4.options.js';

/**
 * The rate's state in the header fields of draft-ietf-httpapi-ratelimit-headers: the policy's quota and window in
 * seconds, how many more requests could follow at once (a burst may be more than the quota) and in how many
 * seconds the whole burst is there again.
 */
export function rateLimitHeaders(rate: Rate, state: RateLimitState): Record<string, string> {
  return {
    'RateLimit-Policy': `"credential";q=${rate.limit};w=${seconds(rate.intervalMs)}`,
    RateLimit: `"credential";r=${state.remaining};t=${seconds(state.resetMs)}`,
  };
}

/** 429: over a rate, or too many failures. */
export function rateLimitProblem(retryAfterMs: number): Problem {
  return problem('rate_limited', { headers: { 'Retry-After': seconds(retryAfterMs) } });
}

/** Whole seconds, rounded up: whoever waits that long has waited long enough. */
export function seconds(ms: number): string {
  return Math.max(1, Math.ceil(ms / 1000)).toString();
}

/** Admits requests within their credential's rate and memory, over all replicas. */
@Injectable()
export class Admissions {
  constructor(
    private readonly redis: RedisStore,
    private readonly options: ApiV4Options,
  ) {}

  /** @throws DependencyUnavailable: then the request must not be served */
  admit(request: AdmissionRequest): Promise<Admission> {
    const { credentialMemoryCap: memoryCap } = this.options;
    return admitRequest(this.redis, { ...request, memoryCap });
  }
}
