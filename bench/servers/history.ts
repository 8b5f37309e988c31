import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CollectionEvent, collectionStream } from '#domain/collections';
import { type NewEvent } from '#domain/event-sourcing';
import { type EventStoreDb } from '#infra/eventstoredb';
import { type Instant } from '#domain/kernel';
import { collectionLegs } from '#domain/ledger';
import { type MerchantEvent, merchantStream } from '#domain/merchants';
import { Database, Lease, migrateRecords } from '#infra/postgres';
import { createViews, projectedPrefixes, readCheckpoint } from '#views/view-set';
import { Projector, projectorLease, SqlViews } from '#views/projection';
import { createLogger, Metrics, SystemClock, SystemTimer } from '#infra/runtime';
import { startEventStore } from './event-store.js';
import { type Fixture } from './fixture.js';
import { type Appender, type LogWriter } from './log-writer.js';
import { sampleIntent } from './sample-events.js';
import { openStoreClient } from './store-client.js';

const collections = 30_000;
const inFlight = 64;
/** The merchant of every written log. */
export const writtenMerchant = {
  merchantId: '01234567-89ab-4cde-8f01-23456789abcd',
  accountNo: '1000000001',
};
const { merchantId, accountNo } = writtenMerchant;

/** The claims that the API made before the events of a written log; `verify` misses them otherwise. */
export const insertClaims = `
  insert into records.idempotency_claims
  select sha256(stream::bytea), sha256(reference::bytea), reference, created_at from transactions`;

/** A log of 120,000 events of paid collections, and a database for its views. */
export interface History {
  readonly store: EventStoreDb;
  /** Opens a database with this search path. The caller closes it. */
  readonly open: (schema: string) => Database;
}

/** Makes a history, runs `work` with it, and deletes it. */
export async function duringHistory<T>(
  fixture: Fixture,
  work: (history: History) => Promise<T>,
): Promise<T> {
  const server = await startEventStore(fixture);
  const store = openStoreClient(server.url);
  const url = await fixture.database('history');
  const open = (schema: string): Database =>
    new Database({
      url,
      app: 'bench',
      logger: createLogger({ app: 'bench', level: 'silent' }),
      searchPath: [schema],
      statementTimeoutMs: 60_000,
    });
  try {
    await seed(store, fixture.scaled(collections));
    return await work({ store, open });
  } finally {
    await store.dispose();
    await server.process.stop();
  }
}

/** Makes the views of this database's schema and projects the whole log into them. */
export async function project(
  store: EventStoreDb,
  database: Database,
  schema: string,
): Promise<void> {
  await migrateRecords(database);
  await createViews(database, schema);
  const projector = new Projector({
    store,
    views: new SqlViews(database, { schema }),
    lease: new Lease(database, { name: projectorLease(schema), holder: 'bench', durationMs: 5000 }),
    clock: new SystemClock(),
    timer: new SystemTimer(),
    metrics: new Metrics(),
  });
  const stop = new AbortController();
  const head = await store.head(projectedPrefixes);
  const term = projector.lead(stop.signal);
  while ((await readCheckpoint(database)).position < head) await Promise.race([sleep(20), term]);
  stop.abort();
  await term;
}

/** Reads the log with the client and drops the events. @returns how many events it has */
export async function readAndDrop(store: EventStoreDb): Promise<number> {
  let count = 0;
  for await (const { position } of store.readAll('start', projectedPrefixes))
    if (position > 0n) count += 1;
  return count;
}

/** Makes paid collections, two appends each, many at once, so that their events are mixed in the log. */
async function seed(store: EventStoreDb, count: number): Promise<void> {
  await registerMerchant(store);
  await manyAtOnce(count, inFlight, async () => {
    const { stream, intent, reference } = newCollection();
    await store.append(stream, 'no_stream', [intent]);
    await store.append(stream, 0n, paid(reference));
  });
}

/** Begins a log with a merchant that has an account. */
export async function registerMerchant(store: Appender): Promise<void> {
  const registered: MerchantEvent = {
    type: 'MerchantRegistered',
    data: { merchantId, name: 'Bench', timezone: 'Africa/Nairobi', country: 'KE' },
  };
  const opened: MerchantEvent = {
    type: 'AccountOpened',
    data: { accountNo, mode: 'demo', currency: 'KES' },
  };
  await store.append(merchantStream(merchantId), 'no_stream', [registered, opened].map(asNew));
}

/** Writes this many paid collections, each as a whole, as long ago as the log's events. */
export async function writeCollections(log: LogWriter, count: number): Promise<void> {
  await manyAtOnce(count, 512, async () => {
    const { stream, intent, reference } = newCollection();
    await log.append(stream, 'no_stream', [intent, ...paid(reference, log.agoMs)]);
  });
}

async function manyAtOnce(count: number, atOnce: number, work: () => Promise<void>): Promise<void> {
  let left = count;
  const lane = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await work();
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}

function newCollection() {
  const intent = sampleIntent();
  const { reference } = intent.event.data;
  return { intent, reference, stream: collectionStream({ mode: 'demo', merchantId, reference }) };
}

function paid(reference: string, agoMs = 0): NewEvent<CollectionEvent>[] {
  const amounts = { amountMinor: 10_000n, feeMinor: 150n };
  const paidAt = new Date(Date.now() - agoMs).toISOString() as Instant;
  const receipt = receiptOf(reference);
  const legs = collectionLegs({ rail: 'mpesa', accountNo, ...amounts });
  const posted = { merchantId, mode: 'demo', reference, accountNo, currency: 'KES' } as const;
  const events: CollectionEvent[] = [
    { type: 'RailPushAccepted', data: { railReference: `ws_CO_${reference}` } },
    {
      type: 'RailConfirmed',
      data: { by: 'callback', resultCode: '0', receipt, amountMinor: amounts.amountMinor, paidAt },
    },
    {
      type: 'WalletPosted',
      data: { ...posted, ...amounts, legs, requestCommitment: 'b'.repeat(64) },
    },
  ];
  return events.map(asNew);
}

/** Returns ten letters and digits, as a receipt of M-Pesa has. Among ten million, no two are likely to be equal. */
function receiptOf(reference: string): string {
  const bits = parseInt(reference.replaceAll('-', '').slice(0, 12), 16);
  return bits.toString(36).toUpperCase().padStart(10, '0');
}

function asNew<E extends CollectionEvent | MerchantEvent>(event: E): NewEvent<E> {
  const actor = { kind: 'system', id: 'bench' } as const;
  return { id: randomUUID(), event, metadata: { v: 1, correlationId: randomUUID(), actor } };
}
