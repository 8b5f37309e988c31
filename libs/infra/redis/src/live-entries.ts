import { type Rate } from '#infra/runtime';
import { entryLifeSeconds, slotSeconds } from './scripts.js';

/** The key that counts a credential's live nonces and claims; its braces are those of the nonces' keys. */
export const liveEntriesOf = (credentialId: string): string => `live-entries:{${credentialId}}`;

/** What a nonce or a claim takes of Redis' memory, at most: measured 205 to 301 bytes with Redis 7.0. */
export const bytesPerEntry = 320;

const minByDefault = 200_000;

/** What bounds the cap besides the credential's rate. */
export interface CapBounds {
  /** CREDENTIAL_MEMORY_CAP. */
  readonly configured?: number | undefined;
  /** Redis' maxmemory; undefined where it has none. */
  readonly maxMemoryBytes: number | undefined;
}

/**
 * How many nonces and claims of one credential may be alive together (docs/adr/0024): by default twice what its rate
 * makes while they live, a nonce and a claim for each request; never what fills more than a quarter of Redis.
 */
export function entriesCap(rate: Rate, { configured, maxMemoryBytes }: CapBounds): number {
  const countedMs = (entryLifeSeconds + slotSeconds) * 1000;
  const requests = Math.ceil((rate.limit * countedMs) / rate.intervalMs) + rate.burst;
  const wanted = configured ?? Math.max(minByDefault, 2 * requests);
  if (maxMemoryBytes === undefined) return wanted;
  return Math.max(1, Math.min(wanted, Math.floor(maxMemoryBytes / 4 / bytesPerEntry)));
}
