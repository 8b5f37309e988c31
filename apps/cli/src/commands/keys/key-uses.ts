import { type EventMetadata, EventStore } from '#domain/event-sourcing';
import { Clock, type Instant, instantFromMs, msFromInstant } from '#domain/kernel';
import { countByKey, listTokenKeys, sealedKeyTables } from '#adapters/keys';
import { sealedRecordTables } from '#adapters/records';
import { EventStoreDb } from '#infra/eventstoredb';
import { Database } from '#infra/postgres';
import { projectedPrefixes } from '#views/view-set';
import { Keyring } from '#shared/signing';
import { type INestApplicationContext } from '@nestjs/common';

/** Everything in the records that is encrypted: each row names its key. */
export const sealedTables = [...sealedKeyTables, ...sealedRecordTables] as const;

/** What still needs one master key. */
export interface KeyUse {
  readonly keyId: string;
  /** Whether MASTER_KEY, as this command has it, holds the key. */
  readonly isConfigured: boolean;
  readonly isFirst: boolean;
  /** By table; those without any are missing. */
  readonly rows: Readonly<Record<string, number>>;
  /** Events whose evidence it sealed; undefined where nobody counted. They cannot be re-encrypted. */
  readonly events: number | undefined;
  /** Until when callback URLs that were made under it may be called; undefined where none was, or no longer. */
  readonly callbackUrlsUntil: Instant | undefined;
}

export interface KeyUseOptions {
  readonly countsEvents: boolean;
  /** From a push to the last callback that is waited for. */
  readonly callbackUrlLifeMs: number;
  readonly onProgress?: (text: string) => void;
}

interface InEvents {
  events: number;
  /** When the last collection was begun whose evidence it sealed: its callback URL was made by the same process. */
  lastIntentAt?: Instant;
}

/** @returns for each master key that is configured or in use, what needs it; the configured ones first, in order */
export async function keyUses(
  app: INestApplicationContext,
  options: KeyUseOptions,
): Promise<readonly KeyUse[]> {
  const keyring = app.get(Keyring);
  const database = app.get(Database);
  const rows = new Map<string, Record<string, number>>();
  for (const table of sealedTables) {
    options.onProgress?.(`counting ${table.table}`);
    for (const { keyId, rows: count } of await countByKey(database, table))
      rows.set(keyId, { ...rows.get(keyId), [table.table]: count });
  }
  const events = options.countsEvents ? await evidenceByKey(app, options.onProgress) : undefined;
  const noted = new Map(
    (await listTokenKeys(database)).map(({ keyId, lastUsedAt }) => [keyId, lastUsedAt] as const),
  );
  const nowMs = app.get<Clock>(Clock).nowMs();
  const until = (keyId: string): Instant | undefined => {
    const intent = events?.get(keyId)?.lastIntentAt;
    const lastMs = Math.max(
      noted.get(keyId)?.getTime() ?? 0,
      intent === undefined ? 0 : msFromInstant(intent),
    );
    const untilMs = lastMs + options.callbackUrlLifeMs;
    return untilMs > nowMs ? instantFromMs(untilMs) : undefined;
  };
  const inUse = [...rows.keys(), ...(events?.keys() ?? []), ...noted.keys()].filter(isMasterKey);
  return [...new Set([...keyring.masterKeyIds, ...inUse.sort()])].map((keyId) => ({
    keyId,
    isConfigured: keyring.hasMasterKey(keyId),
    isFirst: keyring.currentKeyId === keyId,
    rows: rows.get(keyId) ?? {},
    events: events && (events.get(keyId)?.events ?? 0),
    callbackUrlsUntil: until(keyId),
  }));
}

/** Data keys, which are rows themselves, hold a dot. */
function isMasterKey(keyId: string): boolean {
  return !keyId.includes('.');
}

/** Of an event's evidence. */
function keyIdIn(metadata: Uint8Array): string | undefined {
  try {
    const { evidence } = JSON.parse(Buffer.from(metadata).toString()) as Partial<EventMetadata>;
    return evidence?.keyId;
  } catch {
    return undefined;
  }
}

/** Reads the whole log: how many events' evidence each key sealed. */
async function evidenceByKey(
  app: INestApplicationContext,
  onProgress: KeyUseOptions['onProgress'],
): Promise<ReadonlyMap<string, InEvents>> {
  const upTo = await app.get<EventStore>(EventStore).head(projectedPrefixes);
  const found = new Map<string, InEvents>();
  let read = 0;
  // By its bytes: an event whose data nobody can read may carry evidence all the same.
  const records = app.get(EventStoreDb).readStored('start', projectedPrefixes);
  for await (const { position, type, recordedAt, metadata } of records) {
    if (position > upTo) break;
    read += 1;
    if (read % 10_000 === 0) onProgress?.(`${read} events, ${(position * 100n) / upTo} %`);
    const keyId = keyIdIn(metadata);
    if (keyId === undefined) continue;
    const use = found.get(keyId) ?? { events: 0 };
    use.events += 1;
    if (type === 'CollectionIntentRecorded') use.lastIntentAt = recordedAt;
    found.set(keyId, use);
  }
  return found;
}
