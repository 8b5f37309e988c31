import { FailedAttempts, RedisStore, takeFromBucket } from '#infra/redis';
import { type Rate } from '#infra/runtime';
import { type Problem } from '#shared/http';
import { Injectable } from '@nestjs/common';
import { rateLimitProblem } from './rate-limit.js';
import { SourceFailureLimit } from './source-failure-limit.js';

/** Tokens that one client may be given: one lasts an hour, so this is far more than any needs. */
const issuing: Rate = { limit: 60, intervalMs: 60_000, burst: 60 };

/** How often a client may be given a token, and how often somebody may fail to get one. */
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
   * The source's limit first: what a flood makes us count for each client id is bounded by it.
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
