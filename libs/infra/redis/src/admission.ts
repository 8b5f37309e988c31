import { type Rate } from '#infra/runtime';
import {
  admit,
  claim,
  claimName,
  entryLifeSeconds,
  giveBackClaim,
  slotSeconds,
} from './scripts.js';
import { type RedisStore } from './redis-store.js';

/** The key that counts a credential's live nonces and claims; its braces are those of the nonces' keys. */
const liveEntriesOf = (credentialId: string): string => `live-entries:{${credentialId}}`;

/** Maximum memory of a nonce or a claim in Redis: measured 205 to 301 bytes with Redis 7.0. */
const bytesPerEntry = 320;

const minByDefault = 200_000;

/** Limits of the cap besides the credential's rate. */
interface CapBounds {
  /** CREDENTIAL_MEMORY_CAP. */
  readonly configured?: number | undefined;
  /** Redis' maxmemory; undefined if it has none. */
  readonly maxMemoryBytes: number | undefined;
}

/**
 * The maximum number of live nonces and claims of one credential (docs/adr/0024). The default is twice the number of
 * requests that its rate allows while they live, a nonce and a claim for each; never more than fills a quarter of
 * Redis.
 */
export function entriesCap(rate: Rate, { configured, maxMemoryBytes }: CapBounds): number {
  const countedMs = (entryLifeSeconds + slotSeconds) * 1000;
  const requests = Math.ceil((rate.limit * countedMs) / rate.intervalMs) + rate.burst;
  const wanted = configured ?? Math.max(minByDefault, 2 * requests);
  if (maxMemoryBytes === undefined) return wanted;
  return Math.max(1, Math.min(wanted, Math.floor(maxMemoryBytes / 4 / bytesPerEntry)));
}

export interface AdmissionRequest {
  readonly credentialId: string;
  readonly nonce: string;
  readonly rate: Rate;
  /** CREDENTIAL_MEMORY_CAP, if it is set. */
  readonly memoryCap?: number | undefined;
}

/** The values of the RateLimit headers. */
export interface RateLimitState {
  /** The number of requests that could follow at once. */
  readonly remaining: number;
  /** Milliseconds until the whole burst is available again. */
  readonly resetMs: number;
}

export type Admission =
  | { readonly kind: 'nonce_reused' }
  /** `limited`: over the rate. `full`: the credential has too many live nonces and claims (\`entriesCap\`). */
  | ({ readonly kind: 'limited' | 'full'; readonly retryAfterMs: number } & RateLimitState)
  | ({ readonly kind: 'ok' } & RateLimitState);

/**
 * Records the nonce and takes from the credential's bucket, in one round trip and one atomic step; a refused request
 * leaves nothing behind. Only for requests whose signature verified.
 * @throws DependencyUnavailable: then the request must not be served
 */
export async function admitRequest(
  store: RedisStore,
  request: AdmissionRequest,
): Promise<Admission> {
  const { credentialId, nonce, rate, memoryCap: configured } = request;
  const cap = entriesCap(rate, { configured, maxMemoryBytes: store.maxMemoryBytes });
  const answer = await store.run(
    admit,
    [`nonce:{${credentialId}}:${nonce}`, `rate:{${credentialId}}`, liveEntriesOf(credentialId)],
    [Math.ceil((rate.intervalMs * 1000) / rate.limit), rate.burst, cap],
  );
  const [kind, remaining, waitMicros, resetMicros] = answer as [
    Admission['kind'],
    number,
    number,
    number,
  ];
  const resetMs = Math.ceil(resetMicros / 1000);
  switch (kind) {
    case 'nonce_reused':
      return { kind };
    case 'limited':
    case 'full':
      return { kind, retryAfterMs: Math.ceil(waitMicros / 1000), remaining, resetMs };
    case 'ok':
      return { kind, remaining, resetMs };
  }
}

type ClaimedOrExisting =
  { readonly kind: 'claimed' } | { readonly kind: 'existing'; readonly value: string };

/** An idempotency key that a credential claims, and the value that later callers get. */
export interface FastClaim {
  readonly credentialId: string;
  /** HMAC of merchant, mode, route and key, as text. */
  readonly keyHash: string;
  readonly value: string;
}

/**
 * The fast layer of idempotency claims: it answers repeats for 15 minutes. Older claims are in the records. Each claim
 * counts among the live entries of its credential (`entriesCap`).
 */
export class KeyClaims {
  constructor(private readonly store: RedisStore) {}

  /** @returns the value of the existing claim, if there is one */
  async claimKey(claimed: FastClaim): Promise<ClaimedOrExisting> {
    return outcome(await this.store.run(claim, keysOf(claimed), [claimed.value]));
  }

  /** Removes the claim, if it still has this value. */
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
