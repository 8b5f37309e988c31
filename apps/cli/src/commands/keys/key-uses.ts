import { type EventMetadata, EventStore } from '#domain/event-sourcing';
import { Clock, type Instant, instantFromMs, type Mode, msFromInstant } from '#domain/kernel';
import { type NoticeAddressesRegistered, noticesStream } from '#domain/rails';
import { countByKey, listTokenKeys, sealedKeyTables } from '#records/keys';
import { sealedRecordTables } from '#records/operations';
import { EventStoreDb } from '#infra/eventstoredb';
import { Database } from '#infra/postgres';
import { projectedPrefixes } from '#views/view-set';
import { Keyring } from '#shared/signing';
import { type INestApplicationContext } from '@nestjs/common';

/** All encrypted tables of the records: each row names its key. */
export const sealedTables = [...sealedKeyTables, ...sealedRecordTables] as const;

/** Data that still need one master key. */
export interface KeyUse {
  readonly keyId: string;
  /** True if this command's MASTER_KEY contains the key. */
  readonly isConfigured: boolean;
  readonly isFirst: boolean;
  /** Rows by table; a table without any is absent. */
  readonly rows: Readonly<Record<string, number>>;
  /** Events whose evidence the key sealed, or undefined if they were not counted. They cannot be re-encrypted. */
  readonly events: number | undefined;
  /** The time until which callback URLs made with the key may be called, or undefined if there are none. */
  readonly callbackUrlsUntil: Instant | undefined;
  /** The modes whose addresses for notices, as they were last registered at a rail, name the key. */
  readonly noticesOf: readonly Mode[];
}

export interface KeyUseOptions {
  readonly countsEvents: boolean;
  /** Time from a push to the last callback that may come. */
  readonly callbackUrlLifeMs: number;
  readonly onProgress?: (text: string) => void;
}

interface InEvents {
  events: number;
  /** The start of the last collection whose evidence the key sealed: the same process made its callback URL. */
  lastIntentAt?: Instant;
}

/** @returns the uses of each master key that is configured or in use; the configured ones first, in order */
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
  const notices = await noticeKeys(app);
  const named = [...rows.keys(), ...(events?.keys() ?? []), ...noted.keys(), ...notices.keys()];
  const inUse = named.filter(isMasterKey);
  return [...new Set([...keyring.masterKeyIds, ...inUse.sort()])].map((keyId) => ({
    keyId,
    isConfigured: keyring.hasMasterKey(keyId),
    isFirst: keyring.currentKeyId === keyId,
    rows: rows.get(keyId) ?? {},
    events: events && (events.get(keyId)?.events ?? 0),
    callbackUrlsUntil: until(keyId),
    noticesOf: notices.get(keyId) ?? [],
  }));
}

/** Returns the modes whose latest registered addresses name each key. A rail keeps the last ones that it accepted. */
async function noticeKeys(
  app: INestApplicationContext,
): Promise<ReadonlyMap<string, readonly Mode[]>> {
  const store = app.get<EventStore>(EventStore);
  const events = await store.readStream<NoticeAddressesRegistered>(noticesStream);
  const latest = new Map(events.map(({ data }) => [`${data.channel} ${data.mode}`, data] as const));
  return new Map(
    [...Map.groupBy(latest.values(), ({ keyId }) => keyId)].map(([keyId, of]) => [
      keyId,
      of.map(({ mode }) => mode),
    ]),
  );
}

/** Data keys, which are rows themselves, have a dot in their ids. */
function isMasterKey(keyId: string): boolean {
  return !keyId.includes('.');
}

/** The key of an event's evidence. */
function keyIdIn(metadata: Uint8Array): string | undefined {
  try {
    const { evidence } = JSON.parse(Buffer.from(metadata).toString()) as Partial<EventMetadata>;
    return evidence?.keyId;
  } catch {
    return undefined;
  }
}

/** Reads the whole log and counts the events whose evidence each key sealed. */
async function evidenceByKey(
  app: INestApplicationContext,
  onProgress: KeyUseOptions['onProgress'],
): Promise<ReadonlyMap<string, InEvents>> {
  const upTo = await app.get<EventStore>(EventStore).head(projectedPrefixes);
  const found = new Map<string, InEvents>();
  let read = 0;
  // The stored bytes are read, because an event with unreadable data may still have evidence.
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
