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
