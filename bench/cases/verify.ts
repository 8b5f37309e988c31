import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CollectionEvent, collectionStream } from '#domain/collections';
import { type NewEvent } from '#domain/event-sourcing';
import { type EventStoreDb } from '#infra/eventstoredb';
import { type Instant } from '#domain/kernel';
import { collectionLegs } from '#domain/ledger';
import { type MerchantEvent, merchantStream } from '#domain/merchants';
import { Database, Lease, migrateRecords } from '#infra/postgres';
import { createViews, projectedPrefixes, readCheckpoint, viewSchema } from '#views/view-set';
import { Projector, projectorLease, SqlViews } from '#views/projection';
import { verifyViews } from '#views/verification';
import { createLogger, Metrics, SystemClock, SystemTimer } from '#infra/runtime';
import { type Findings, measurement } from '../measurement.js';
import { startEventStore } from '../servers/event-store.js';
import { type Fixture } from '../servers/fixture.js';
import { openStoreClient } from '../servers/store-client.js';
import { usageOf } from '../servers/usage.js';
import { sampleIntent } from './sample-events.js';

const collections = 30_000;
const inFlight = 64;
const merchantId = 'm_0123456789abcdef';
const accountNo = '1000000001';

/**
 * `npx pesapost verify` on a log of 120,000 events, by turns with the same log read by the same client and dropped:
 * the machine's other work then meets both alike.
 */
export async function verify(fixture: Fixture, seconds: number): Promise<Findings> {
  const server = await startEventStore(fixture);
  const store = openStoreClient(server.url);
  const database = new Database({
    url: await fixture.database('verify'),
    app: 'bench',
    logger: createLogger({ app: 'bench', level: 'silent' }),
    searchPath: [viewSchema()],
    statementTimeoutMs: 60_000,
  });
  try {
    await migrateRecords(database);
    await createViews(database, viewSchema());
    await seed(store);
    await project(store, database);
    return await measure(store, database, seconds);
  } finally {
    await store.dispose();
    await database.close();
    await server.process.stop();
  }
}

async function measure(
  store: EventStoreDb,
  database: Database,
  seconds: number,
): Promise<Findings> {
  const spent = { read: 0, verify: 0 };
  const counted = { read: 0, verify: 0 };
  const cpu = { read: 0, verify: 0 };
  const turns = {
    read: () => readAndDrop(store),
    verify: () => verifyOnce(store, database),
  };
  await turns.read();
  await turns.verify();
  do
    for (const turn of ['read', 'verify'] as const) {
      const [begunAt, before] = [performance.now(), process.cpuUsage()];
      counted[turn] += await turns[turn]();
      const { user, system } = process.cpuUsage(before);
      spent[turn] += (performance.now() - begunAt) / 1000;
      cpu[turn] += user + system;
    }
  while (spent.read + spent.verify < seconds);
  const perEvent = (turn: 'read' | 'verify'): string => (cpu[turn] / counted[turn]).toFixed(1);
  const anon_mb = (await usageOf({ bench: process.pid })).get('bench')?.anonMb ?? null;
  return {
    measurements: [
      measurement({
        name: 'verify',
        value: counted.verify / spent.verify,
        unit: 'events/s',
        floor: counted.read / spent.read,
        anon_mb,
      }),
    ],
    notes: [
      `verify: ${perEvent('verify')} µs of processor an event, reading alone ${perEvent('read')}`,
    ],
  };
}

async function readAndDrop(store: EventStoreDb): Promise<number> {
  let count = 0;
  for await (const { position } of store.readAll('start', projectedPrefixes))
    if (position > 0n) count += 1;
  return count;
}

async function verifyOnce(store: EventStoreDb, database: Database): Promise<number> {
  const { events, differences, named } = await verifyViews({ store, database, maxNamed: 3 });
  if (differences > 0) throw new Error(`a clean log differed: ${JSON.stringify(named)}`);
  return events;
}

async function project(store: EventStoreDb, database: Database): Promise<void> {
  const projector = new Projector({
    store,
    views: new SqlViews(database),
    lease: new Lease(database, { name: projectorLease, holder: 'bench', durationMs: 5000 }),
    clock: new SystemClock(),
    timer: new SystemTimer(),
    metrics: new Metrics(),
  });
  const stop = new AbortController();
  const term = projector.lead(stop.signal);
  const head = await store.head(projectedPrefixes);
  while ((await readCheckpoint(database)).position < head) await Promise.race([sleep(100), term]);
  stop.abort();
  await term;
  await database.query(`
    insert into records.idempotency_claims
    select sha256(stream::bytea), sha256(reference::bytea), reference, created_at from transactions`);
  await database.query('vacuum analyze');
}

/** Collections that were paid, two appends each, many at once, so that their events stand mixed in the log. */
async function seed(store: EventStoreDb): Promise<void> {
  const registered: MerchantEvent = {
    type: 'MerchantRegistered',
    data: { merchantId, name: 'Bench', timezone: 'Africa/Nairobi', country: 'KE' },
  };
  await store.append(merchantStream(merchantId), 'no_stream', [asNew(registered)]);
  let left = collections;
  const worker = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const intent = sampleIntent();
      const stream = collectionStream({
        mode: 'demo',
        merchantId,
        reference: intent.event.data.reference,
      });
      await store.append(stream, 'no_stream', [intent]);
      await store.append(stream, 0n, paid(intent.event.data.reference));
    }
  };
  await Promise.all(Array.from({ length: inFlight }, worker));
}

function paid(reference: string): NewEvent<CollectionEvent>[] {
  const amounts = { amountMinor: 10_000n, feeMinor: 150n };
  const paidAt = new Date().toISOString() as Instant;
  const receipt = reference.slice(0, 10).toUpperCase();
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

function asNew<E extends CollectionEvent | MerchantEvent>(event: E): NewEvent<E> {
  const actor = { kind: 'system', id: 'bench' } as const;
  return { id: randomUUID(), event, metadata: { v: 1, correlationId: randomUUID(), actor } };
}
