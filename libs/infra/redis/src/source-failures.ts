import { type Rate } from '#infra/runtime';
import { type RedisStore } from './redis-store.js';
import { takeFromBucket } from './take-from-bucket.js';

/**
 * Failed authentications that one source may make: 600 at once, then ten a second (docs/adr/0011). Far beyond
 * what a client with a wrong clock or key makes before somebody looks, far below what costs us anything.
 */
const allowedFailures: Rate = { limit: 10, intervalMs: 1000, burst: 600 };

/** Counts failed authentications by source, over all replicas. */
export class SourceFailures {
  constructor(
    private readonly store: RedisStore,
    private readonly rate: Rate = allowedFailures,
  ) {}

  /**
   * @param source an address, or what stands for the addresses of one subscriber
   * @returns how long to wait, where this failure is one too many
   * @throws DependencyUnavailable
   */
  count(source: string): Promise<number | undefined> {
    return takeFromBucket(this.store, `source-failures:${source}`, this.rate);
  }
}
