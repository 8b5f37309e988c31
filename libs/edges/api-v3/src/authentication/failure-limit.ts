import { Injectable } from '@nestjs/common';
import { callerAddress, noteRequest, type Problem, sourceOf } from '#shared/http';
import { RedisStore, takeFromBucket } from '#infra/redis';
import { type Rate } from '#infra/runtime';
import { type FastifyRequest } from 'fastify';
import { problem } from '../errors.js';

/** As for V4: far beyond what an old client makes before somebody looks, far below what costs us anything. */
const rate: Rate = { limit: 10, intervalMs: 1000, burst: 600 };

/**
 * Limits failed authentications per source (docs/adr/0011). Below it V3's answers are what they always were; whoever
 * authenticates is neither counted nor refused.
 */
@Injectable()
export class FailureLimit {
  constructor(private readonly store: RedisStore) {}

  /** @returns what answers the failure: itself, or rate_limited where it is one too many */
  async answerTo(failure: Problem, request: FastifyRequest): Promise<Problem> {
    const bucket = `bucket:v3-failures:${sourceOf(callerAddress(request))}`;
    // Without Redis nothing is counted, and nothing was let in either.
    const waitMs = await takeFromBucket(this.store, bucket, rate).catch(() => undefined);
    if (waitMs === undefined) return failure;
    noteRequest(request, { failure: failure.error.code });
    const seconds = Math.max(1, Math.ceil(waitMs / 1000));
    return problem('rate_limited', { headers: { 'Retry-After': String(seconds) } });
  }
}
