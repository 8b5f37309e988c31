import { type RedisStore } from './redis-store.js';
import { liveEntriesOf } from './live-entries.js';
import { claim, claimName, giveBackClaim } from './scripts.js';

export type ClaimedOrExisting =
  { readonly kind: 'claimed' } | { readonly kind: 'existing'; readonly value: string };

/** An idempotency key that a credential claims, and what later comers are told. */
export interface FastClaim {
  readonly credentialId: string;
  /** HMAC of merchant, mode, route and key, as text. */
  readonly keyHash: string;
  readonly value: string;
}

/**
 * The fast layer of idempotency claims: it answers repeats for 15 minutes. What it forgets, the records know. Each
 * claim counts among the live entries of its credential (`entriesCap`).
 */
export class KeyClaims {
  constructor(private readonly store: RedisStore) {}

  /** @returns the value of the claim that is there, where there is one */
  async claimKey(claimed: FastClaim): Promise<ClaimedOrExisting> {
    return outcome(await this.store.run(claim, keysOf(claimed), [claimed.value]));
  }

  /** Removes the claim, where it still has this value. */
  async giveBack(claimed: FastClaim): Promise<void> {
    await this.store.run(giveBackClaim, keysOf(claimed), [claimed.value]);
  }

  /** Claims a name that belongs to no credential's count. */
  async claimName(name: string, value: string, ttlSeconds: number): Promise<ClaimedOrExisting> {
    return outcome(await this.store.run(claimName, [key(name)], [value, ttlSeconds]));
  }
}

const outcome = (existing: unknown): ClaimedOrExisting =>
  existing === null ? { kind: 'claimed' } : { kind: 'existing', value: existing as string };

const keysOf = ({ keyHash, credentialId }: FastClaim): [string, string] => [
  key(keyHash),
  liveEntriesOf(credentialId),
];

const key = (name: string): string => `idempotency:${name}`;
