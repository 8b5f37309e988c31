import { type Rate } from '#infra/runtime';
import { type RedisStore } from './redis-store.js';
import { countFailure } from './scripts.js';

/**
 * Takes one call from a bucket, over all replicas and by the server's clock: GCRA, as for V4's credentials.
 * @param bucket the key of those calls that are limited together
 * @returns milliseconds until one more would pass, where this one does not; undefined where it does
 * @throws DependencyUnavailable
 */
export async function takeFromBucket(
  store: RedisStore,
  bucket: string,
  { limit, intervalMs, burst }: Rate,
): Promise<number | undefined> {
  const overMicros = (await store.run(
    countFailure,
    [bucket],
    [Math.ceil((intervalMs * 1000) / limit), burst],
  )) as number;
  return overMicros === 0 ? undefined : Math.ceil(overMicros / 1000);
}

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
