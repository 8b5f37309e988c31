import { type Problem, sourceOf } from '#shared/http';
import {
  type Admission,
  type AdmissionRequest,
  admitRequest,
  FailedAttempts,
  type RateLimitState,
  RedisStore,
  SourceFailures,
  takeFromBucket,
} from '#infra/redis';
import { type Rate } from '#infra/runtime';
import { problem, type Refusal } from '../errors.js';
import { Injectable } from '@nestjs/common';
import { ApiV4Options } from '../api-v4.options.js';
import { LRUCache } from 'lru-cache';

/**
 * Returns the rate's state in the header fields of draft-ietf-httpapi-ratelimit-headers. The policy has the quota and
 * the window in seconds. The state has the number of requests that could follow at once (a burst may exceed the quota),
 * and the seconds until the whole burst is available again.
 */
export function rateLimitHeaders(rate: Rate, state: RateLimitState): Record<string, string> {
  return {
    'RateLimit-Policy': `"credential";q=${rate.limit};w=${seconds(rate.intervalMs)}`,
    RateLimit: `"credential";r=${state.remaining};t=${seconds(state.resetMs)}`,
  };
}

/** Returns a 429 for a request over a rate, or after too many failures. */
export function rateLimitProblem(retryAfterMs: number): Problem {
  return problem('rate_limited', { headers: { 'Retry-After': seconds(retryAfterMs) } });
}

/** Returns whole seconds, rounded up, so that a client that waits this long has waited long enough. */
export function seconds(ms: number): string {
  return Math.max(1, Math.ceil(ms / 1000)).toString();
}

/** Admits requests within their credential's rate and memory, across all replicas. */
@Injectable()
export class Admissions {
  constructor(
    private readonly redis: RedisStore,
    private readonly options: ApiV4Options,
  ) {}

  /** @throws DependencyUnavailable: the request must then not be served */
  admit(request: AdmissionRequest): Promise<Admission> {
    const { credentialMemoryCap: memoryCap } = this.options;
    return admitRequest(this.redis, { ...request, memoryCap });
  }
}

/**
 * The codes that count as a failed authentication. A caller that passes these checks has proved that it has the private
 * key.
 */
const failures: ReadonlySet<string> = new Set<Refusal>([
  'invalid_token',
  'ip_not_allowed',
  'missing_signature',
  'timestamp_expired',
  'invalid_signature',
  'invalid_nonce',
  'invalid_client',
]);

const maxRemembered = 10_000;

/**
 * Limits failed authentications per source (docs/adr/0011). Over the limit, a failure is answered with 429 instead of
 * its own code. Requests that authenticate are never counted or refused, and cost no round trip here.
 */
@Injectable()
export class SourceFailureLimit {
  /** Sources over the limit, for as long as they are, so that a flood costs no round trip for each of its failures. */
  readonly #refused = new LRUCache<string, true>({ max: maxRemembered });

  constructor(private readonly counted: SourceFailures) {}

  /** @returns the answer to the failure: the failure itself, or rate_limited if it is one too many */
  async answerTo(failure: Problem, address: string | undefined): Promise<Problem> {
    if (!failures.has(failure.error.code)) return failure;
    const source = sourceOf(address);
    const knownMs = this.#refused.getRemainingTTL(source);
    if (knownMs > 0) return rateLimitProblem(knownMs);
    // Without Redis no failure is counted, and no request was admitted either. The failure is then answered with its
    // own code.
    const waitMs = await this.counted.count(source).catch(() => undefined);
    if (waitMs === undefined) return failure;
    this.#refused.set(source, true, { ttl: waitMs });
    return rateLimitProblem(waitMs);
  }
}

/** How many tokens one client may get. A token lasts an hour, so this is far more than any client needs. */
const issuing: Rate = { limit: 60, intervalMs: 60_000, burst: 60 };

/** Limits how often a client may get a token, and how often a caller may fail to get one. */
@Injectable()
export class TokenLimits {
  constructor(
    private readonly failures: FailedAttempts,
    private readonly sources: SourceFailureLimit,
    private readonly redis: RedisStore,
  ) {}

  /** @throws Problem rate_limited; DependencyUnavailable */
  async requireIssuing(credentialId: string): Promise<void> {
    const waitMs = await takeFromBucket(this.redis, `bucket:tokens:${credentialId}`, issuing);
    if (waitMs !== undefined) throw rateLimitProblem(waitMs);
  }

  /**
   * Applies the source's limit first, because it bounds how many client ids a flood makes us count.
   * @throws DependencyUnavailable
   */
  async answerTo(
    failure: Problem,
    clientId: string | undefined,
    address: string | undefined,
  ): Promise<Problem> {
    const answer = await this.sources.answerTo(failure, address);
    if (answer !== failure || clientId === undefined || failure.error.code === 'rate_limited')
      return answer;
    const pair = [clientId, address ?? 'unknown'] as const;
    const waitMs = isWrongSecret(failure)
      ? await this.failures.countFailure(...pair)
      : await this.failures.refusedForMs(...pair);
    return waitMs === undefined ? failure : rateLimitProblem(waitMs);
  }
}

const isWrongSecret = ({ error }: Problem): boolean => error.code === 'invalid_client';
