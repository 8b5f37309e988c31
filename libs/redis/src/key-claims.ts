import { type RedisStore } from './redis-store.js';
import { claim } from './scripts.js';

/**
 * The fast layer of idempotency claims: it answers repeats for as long as a key lives. What it forgets, the
 * records know.
 */
export class KeyClaims {
  constructor(private readonly store: RedisStore) {}

  /**
   * @param keyHash HMAC of merchant, mode, route and key, as text
   * @param value what later comers are told, such as fingerprint, reference and time
   * @returns the value of the claim that is there, where there is one
   */
  async claimKey(
    keyHash: string,
    value: string,
    ttlSeconds: number,
  ): Promise<{ readonly kind: 'claimed' } | { readonly kind: 'existing'; readonly value: string }> {
    const existing = await this.store.run(claim, [key(keyHash)], [value, ttlSeconds]);
    return existing === null
      ? { kind: 'claimed' }
      : { kind: 'existing', value: existing as string };
  }
}

const key = (keyHash: string): string => `idempotency:${keyHash}`;
