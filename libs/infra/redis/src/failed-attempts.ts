import { type RedisStore } from './redis-store.js';
import { countInWindow } from './scripts.js';

/** Failed authentications that one client id may make from one address in a window. */
const maxFailures = 10;
const windowMs = 60_000;

/**
 * Counts failed authentications per client id and address: after 10 in a minute the pair is refused until
 * the minute is over. Others with the same client id are not, so an untrusted sender can lock nobody out.
 */
export class FailedAttempts {
  constructor(private readonly store: RedisStore) {}

  /** @returns how long to wait, where the pair is refused now */
  async refusedForMs(clientId: string, address: string): Promise<number | undefined> {
    const text = await this.store.get(key(clientId, address));
    if (text === null || Number(text) < maxFailures) return undefined;
    return Math.max(1, await this.store.lifeMs(key(clientId, address)));
  }

  /** @returns how long to wait, where this failure is one too many */
  async countFailure(clientId: string, address: string): Promise<number | undefined> {
    const answer = await this.store.run(countInWindow, [key(clientId, address)], [windowMs]);
    const [count, leftMs] = answer as [number, number];
    return count > maxFailures ? Math.max(1, leftMs) : undefined;
  }
}

/** The client id comes from an untrusted sender: its length is bounded. */
function key(clientId: string, address: string): string {
  return `auth-failures:${clientId.slice(0, 128)}:${address}`;
}
