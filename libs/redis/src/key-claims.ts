import { type RedisStore } from './redis-store.js';
import { claim, removeIfSame, replace } from './scripts.js';

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

  /**
   * Takes over a claim that is still as it was seen.
   * @returns whether this caller, and so no other, has it now
   */
  async replaceClaim(
    keyHash: string,
    change: { readonly seen: string; readonly value: string; readonly ttlSeconds: number },
  ): Promise<boolean> {
    const { seen, value, ttlSeconds } = change;
    return (await this.store.run(replace, [key(keyHash)], [seen, value, ttlSeconds])) === 1;
  }

  /** Gives back a claim of one's own. @returns false where it is another's, or gone */
  async releaseClaim(keyHash: string, value: string): Promise<boolean> {
    return (await this.store.run(removeIfSame, [key(keyHash)], [value])) === 1;
  }
}

const key = (keyHash: string): string => `idempotency:${keyHash}`;
