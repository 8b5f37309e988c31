import { Problem } from '#shared/http';
import { Clock } from '#domain/kernel';
import { RedisStore, takeFromBucket } from '#infra/redis';
import { rulesAt } from '#domain/v3-retirement';
import { Injectable } from '@nestjs/common';
import { V3GateOptions } from './v3-gate.options.js';

const rateLimited = { status: 429, code: 'rate_limited' } as const;

/** The rate of a consumer key, over all replicas, from the restrict phase on. */
@Injectable()
export class RestrictedRate {
  constructor(
    private readonly options: V3GateOptions,
    private readonly redis: RedisStore,
    private readonly clock: Clock,
  ) {}

  /** @throws Problem 429 with Retry-After; DependencyUnavailable where the rate cannot be known */
  async take(consumerKey: string): Promise<void> {
    const { gaDate, restrictedRate } = this.options;
    if (!rulesAt(gaDate, this.clock.now()).includes('rate_limit')) return;
    const waitMs = await takeFromBucket(this.redis, `bucket:v3:${consumerKey}`, restrictedRate);
    if (waitMs === undefined) return;
    const seconds = Math.max(1, Math.ceil(waitMs / 1000));
    throw new Problem(rateLimited, { headers: { 'Retry-After': String(seconds) } });
  }
}
