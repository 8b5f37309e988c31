import { type Rate } from '#infra/runtime';
import { type RedisStore } from './redis-store.js';
import { countFailure, countInWindow } from './scripts.js';

/**
 * Takes one call from a bucket, across all replicas and by the server's clock: GCRA, as for V4's credentials.
 * @param bucket the key of the calls that share a limit
 * @returns milliseconds until one more would pass, if this one does not; undefined if it does
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
 * Failed authentications that one source may make: 600 at once, then ten a second (docs/adr/0011). Far more than a
 * client with a wrong clock or key makes before somebody notices, far fewer than cost the service anything.
 */
const allowedFailures: Rate = { limit: 10, intervalMs: 1000, burst: 600 };

/** Counts failed authentications by source, across all replicas. */
export class SourceFailures {
  constructor(
    private readonly store: RedisStore,
    private readonly rate: Rate = allowedFailures,
  ) {}

  /**
   * @param source an address, or the prefix of one subscriber's addresses
   * @returns the time to wait, if this failure is one too many
   * @throws DependencyUnavailable
   */
  count(source: string): Promise<number | undefined> {
    return takeFromBucket(this.store, `source-failures:${source}`, this.rate);
  }
}

/** Maximum number of failed authentications with one client id from one address in a window. */
const maxFailures = 10;
const windowMs = 60_000;

/**
 * Counts failed authentications per client id and address: after 10 in a minute the pair is refused until the minute is
 * over. Other addresses with the same client id are not, so an untrusted sender can lock no client out.
 */
export class FailedAttempts {
  constructor(private readonly store: RedisStore) {}

  /** @returns the time to wait, if the pair is refused now */
  async refusedForMs(clientId: string, address: string): Promise<number | undefined> {
    const text = await this.store.get(key(clientId, address));
    if (text === null || Number(text) < maxFailures) return undefined;
    return Math.max(1, await this.store.lifeMs(key(clientId, address)));
  }

  /** @returns the time to wait, if this failure is one too many */
  async countFailure(clientId: string, address: string): Promise<number | undefined> {
    const answer = await this.store.run(countInWindow, [key(clientId, address)], [windowMs]);
    const [count, leftMs] = answer as [number, number];
    return count > maxFailures ? Math.max(1, leftMs) : undefined;
  }
}

/** The client id comes from an untrusted sender: its length is limited. */
function key(clientId: string, address: string): string {
  return `auth-failures:${clientId.slice(0, 128)}:${address}`;
}
