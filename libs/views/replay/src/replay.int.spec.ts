import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';
import { type MerchantEvent, merchantStream } from '#domain/merchants';
import { DependencyUnavailable } from '#domain/kernel';
import {
  Database,
  Lease,
  type Queryable,
  ReadDatabase,
  type Transaction,
  type TransactionOptions,
} from '#infra/postgres';
import { createLogger, Metrics, SystemClock, SystemTimer } from '#infra/runtime';
import {
  accept,
  eventually,
  HandMadeLog,
  intend,
  LogWithFaults,
  merchantId,
  onboarded,
  patientPool,
  pay,
  suspend,
  throwAwayDatabase,
  type ThrowAwayDatabase,
} from '#testing';
import { Projector, projectorLease, SqlViews } from '#views/projection';
import { createViews, viewSetIdentity } from '#views/view-set';
import { buildFirst } from './first-build.js';
import { drop } from './drop.js';
import { replay } from './replay.js';
import { type ReplayOptions } from './replay-work.js';
import { rollback } from './rollback.js';
import { listReplays } from './records.js';
import { buildingSchema, listViewSets } from './sets.js';
import { watchRebuilds } from './watch-rebuilds.js';

const serving = 'views_901';
const logger = createLogger({ app: 'spec', level: 'fatal' });
const how = { maxNamed: 20, acceptsDifferences: false };

let server: ThrowAwayDatabase;
let views: Database;
/** A pool of its own, as with DATABASE_READ_URL; replays do not know it. */
let reads: ReadDatabase;
let log: HandMadeLog;
let store: LogWithFaults;
let stop: AbortController;
let leading: Promise<unknown>;
let paid = 0;

beforeEach(async () => {
  server = await throwAwayDatabase();
  await createViews(server.database, serving);
  const pool = { ...patientPool, url: server.url, app: 'spec', logger, searchPath: [serving] };
  views = new Database({ ...pool, poolSize: 8 });
  reads = new ReadDatabase({ ...pool, poolSize: 2, maxWaiting: 10 });
  log = onboarded(new HandMadeLog(Date.now() - 3_600_000));
  log.append<MerchantEvent>(merchantStream(merchantId), {
    type: 'WebhookEndpointSet',
    data: { mode: 'demo', kind: 'v4', url: 'https://duka.example', enabled: true },
  });
  store = new LogWithFaults(log);
  stop = new AbortController();
  leading = lead(stop.signal);
});
afterEach(async () => {
  stop.abort();
  await leading;
  await views.close();
  await reads.close();
  await server.drop();
});

/** The serving set's projector, term after term. */
async function lead(signal: AbortSignal): Promise<void> {
  const projector = new Projector({
    store,
    views: new SqlViews(views, { schema: serving }),
    lease: new Lease(views, { name: projectorLease(serving), holder: 'spec' }),
    clock: new SystemClock(),
    timer: new SystemTimer(),
    metrics: new Metrics(),
  });
  while (!signal.aborted) {
    await projector.lead(signal).catch(() => undefined);
    await sleep(50);
  }
}

const options = (holder = 'operator'): ReplayOptions => ({
  database: server.database,
  store,
  serving,
  by: 'asha',
  holder,
  clock: new SystemClock(),
  timer: new SystemTimer(),
});

/** Appends collections that are paid, and one that waits. */
function append(count: number): void {
  for (let left = count; left > 0; left -= 1) {
    paid += 1;
    const stream = intend(log.wait(5), `R${paid}`);
    accept(log, stream);
    if (left > 1) pay(log, stream, { under: `RC${paid}` });
  }
}

/** As `/metrics` shows it. */
async function rebuildSeconds(): Promise<number> {
  const metrics = new Metrics();
  watchRebuilds(server.database, metrics);
  const text = await metrics.registry.getSingleMetricAsString('pesapost_views_rebuild_seconds');
  return Number(text.trim().split(' ').at(-1));
}

async function caughtUp(): Promise<void> {
  const head = log.events.at(-1)?.position ?? 0n;
  await eventually(
    () =>
      views.query<{ at: bigint }>(
        'select position as at from checkpoint where fresh_at is not null',
      ),
    ([row]) => row?.at === head,
  );
}

/** Postgres fails when the sets are swapped. */
class SwapsGetLost extends Database {
  constructor(
    private readonly url: string,
    private readonly isTaken: boolean,
  ) {
    super({ ...patientPool, url, app: 'spec', logger });
  }

  /** Sets are swapped in a session. The pools of a view set belong to projectors, which never swap. */
  override withSessions(): Database {
    return new SwapsGetLost(this.url, this.isTaken);
  }

  override async transaction<T>(
    work: (transaction: Transaction) => Promise<T>,
    how?: TransactionOptions,
  ): Promise<T> {
    const seen = { swap: false };
    const lost = new DependencyUnavailable('postgres', 'the connection ended');
    const result = await super.transaction(async (transaction) => {
      const query: Transaction['query'] = (statement, values) => {
        const text = typeof statement === 'string' ? statement : statement.text;
        seen.swap ||= text.startsWith('alter schema');
        return transaction.query(statement, values);
      };
      const done = await work({ ...transaction, query });
      if (seen.swap && !this.isTaken) {
        await transaction.query('rollback');
        append(2);
        throw lost;
      }
      return done;
    }, how);
    if (seen.swap) throw lost;
    return result;
  }
}

const count = async (sql: string): Promise<number> => (await views.query(sql)).length;
const deliveries = () => count('select from records.webhook_deliveries');
const schemas = async () =>
  (await listViewSets(server.database, serving)).map(({ schema }) => schema);

/** A reader, and the number of its answers so far. */
interface Reader {
  answers: number;
  readonly from: Queryable;
}

/** Reads as the API does, with prepared statements, and checks that no answer ever goes back in time. */
async function reading(reader: Reader, signal: AbortSignal): Promise<void> {
  const statement = {
    name: 'spec-read',
    text: `select c.position, (select count(*) from transactions) as items,
        (select sum(credits_minor) from balances)::text as credits
      from checkpoint c`,
  };
  let [position, items, credits] = [0n, 0n, 0n];
  while (!signal.aborted) {
    const [row] = await reader.from.query<{
      position: bigint;
      items: bigint;
      credits: string;
    }>(statement);
    if (!row) throw new Error('no checkpoint');
    expect(row.position).toBeGreaterThanOrEqual(position);
    expect(row.items).toBeGreaterThanOrEqual(items);
    expect(BigInt(row.credits)).toBeGreaterThanOrEqual(credits);
    [position, items, credits] = [row.position, row.items, BigInt(row.credits)];
    reader.answers += 1;
  }
}

/** Runs readers and a writer until the work is done. */
async function underLoad<T>(work: () => Promise<T>): Promise<T> {
  const over = new AbortController();
  const readers = [views, views, reads, reads].map((from): Reader => ({ answers: 0, from }));
  const readings = Promise.all(readers.map((reader) => reading(reader, over.signal)));
  const writer = (async () => {
    while (!over.signal.aborted) {
      append(2);
      await sleep(20);
    }
  })();
  try {
    return await work();
  } finally {
    // They read on for a while after the work.
    const before = readers.map(({ answers }) => answers);
    const haveReadOn = () => readers.every(({ answers }, n) => answers > (before[n] ?? 0) + 20);
    await Promise.race([readings, eventually(() => Promise.resolve(haveReadOn()), Boolean)]);
    over.abort();
    await writer;
    await readings;
  }
}

describe('a replay', () => {
  it('swaps equal sets under load: no read fails, nothing goes back, and no webhook is repeated', async () => {
    append(50);
    await caughtUp();
    expect(await deliveries()).toBe(49);
    await server.database.query('delete from records.webhook_deliveries');
    const before = log.events.length;
    const identity = await viewSetIdentity(reads);
    const report = await underLoad(() => replay(options(), how));
    expect(report).toMatchObject({ isSwapped: true, comparison: { differences: 0, named: [] } });
    expect(await viewSetIdentity(reads)).not.toBe(identity);
    expect(await viewSetIdentity(reads)).toBe(await viewSetIdentity(views));
    append(10);
    await caughtUp();
    const told = log.events.slice(before).filter(({ type }) => type === 'WalletPosted').length;
    expect(await deliveries()).toBe(told);
    expect(await count('select from webhook_events')).toBe(49 + told);
    expect(await schemas()).toEqual([serving, report.keptAs]);
    const [row] = await views.query<{ behind: boolean }>(
      `select k.position < c.position as behind from ${report.keptAs ?? ''}.checkpoint k, checkpoint c`,
    );
    expect(row?.behind).toBe(true);
    expect(await listReplays(server.database, serving, 5)).toMatchObject([
      { kind: 'replay', begunBy: 'asha', differences: 0n, keptAs: report.keptAs },
    ]);
    expect(await rebuildSeconds()).toBeGreaterThan(0);
  });

  it('names rows that differ and continues to serve; once they are accepted, the new set serves', async () => {
    append(20);
    await caughtUp();
    const [row] = await views.query<{ position: bigint }>(
      `update transactions set amount_minor = 9007199254740993 where reference = (select max(reference) from transactions)
       returning position`,
    );
    await views.query(`delete from balances where account = 'fees'`);
    await views.query(
      'update day_figures set items = items + 1 where ctid = (select min(ctid) from day_figures)',
    );
    const refused = await replay(options(), how);
    expect(refused).toMatchObject({ isSwapped: false, comparison: { differences: 3 } });
    expect(refused.comparison.named).toMatchObject([
      { table: 'balances', field: 'row', serving: null, other: 'a row' },
      { table: 'day_figures', field: 'items' },
      {
        table: 'transactions',
        key: { position: String(row?.position) },
        field: 'amount_minor',
        serving: '9007199254740993',
        other: '10000',
      },
    ]);
    expect(await schemas()).toEqual([serving, buildingSchema(serving)]);
    append(3);
    const accepted = await replay(options('later'), { ...how, acceptsDifferences: true });
    expect(accepted).toMatchObject({ id: refused.id, isSwapped: true });
    expect(await count(`select from balances where account = 'fees'`)).toBe(1);
    expect(await count('select from transactions where amount_minor <> 10000')).toBe(0);
  });

  it('is rolled back under load to the kept set, which is brought forward first', async () => {
    append(20);
    await caughtUp();
    const { keptAs } = await replay(options(), how);
    append(20);
    await caughtUp();
    const told = await deliveries();
    const before = log.events.length;
    const back = await underLoad(() => rollback(options()));
    expect(back.schema).toBe(keptAs);
    await caughtUp();
    expect(await schemas()).toEqual([serving, back.keptAs]);
    const since = log.events.slice(before).filter(({ type }) => type === 'WalletPosted').length;
    expect(await deliveries()).toBe(told + since);
    await drop(options(), back.keptAs);
    expect(await schemas()).toEqual([serving]);
    await expect(rollback(options())).rejects.toThrow('no set of views is kept');
  });

  it('keeps a quarantine at its position', async () => {
    append(5);
    const bad = intend(log, 'bad');
    accept(log, bad);
    store.unreadable.add(log.events.at(-1)?.position ?? 0n);
    append(5);
    await caughtUp();
    const standing = 'select merchant_id, scope, position, applied_to from quarantines';
    const before = await views.query(standing);
    expect(before).toHaveLength(1);
    const report = await replay(options(), how);
    expect(report).toMatchObject({ isSwapped: true, comparison: { differences: 0 } });
    expect(await views.query(standing)).toEqual(before);
    expect(report.comparison.tables.map(({ table }) => table)).toContain('quarantines');
  });

  it('owes the webhooks missed during a quarantine that it ends, and so does a rollback', async () => {
    append(5);
    const standsStill = async () => {
      accept(log, intend(log, `bad-${log.events.length}`));
      store.unreadable.add(log.events.at(-1)?.position ?? 0n);
      append(5);
      await caughtUp();
      expect(await count('select from quarantines')).toBe(1);
      store.unreadable.clear();
    };
    const told = () => log.events.filter(({ type }) => type === 'WalletPosted').length;
    await standsStill();
    expect(await deliveries()).toBe(4);
    const accepting = { ...how, acceptsDifferences: true };
    expect(await replay(options(), accepting)).toMatchObject({ isSwapped: true });
    expect(await count('select from quarantines')).toBe(0);
    expect(await deliveries()).toBe(8);
    expect(told()).toBe(8);

    // The set that was kept does not advance.
    const before = await schemas();
    await expect(rollback(options('back'))).rejects.toThrow(
      `the views of merchant ${merchantId} stand still`,
    );
    expect(await schemas()).toEqual(before);
    expect(await count('select from quarantines')).toBe(0);
    await rollback(options('back'), { acceptsStandstill: true });
    expect(await count('select from quarantines')).toBe(1);
    expect(await replay(options('forth'), accepting)).toMatchObject({ isSwapped: true });

    const { keptAs } = await replay(options('again'), how);
    await standsStill();
    expect(await deliveries()).toBe(8);
    expect(await rollback(options('back'), { schema: keptAs as string })).toMatchObject({
      schema: keptAs,
    });
    expect(await deliveries()).toBe(told());
  });

  it.each([
    ['was not taken', false],
    ['was taken, and the answer was lost', true],
  ])('reports that its commit %s, and ends', async (_what, isTaken) => {
    append(5);
    await caughtUp();
    const losing = { ...options(), database: new SwapsGetLost(server.url, isTaken) };
    const ended = replay(losing, how);
    if (isTaken) {
      expect(await ended).toMatchObject({ isSwapped: true, keptAs: 'views_901_kept_1' });
      expect(await schemas()).toEqual([serving, 'views_901_kept_1']);
    } else {
      await expect(ended).rejects.toThrow(DependencyUnavailable);
      expect(await schemas()).toEqual([serving, buildingSchema(serving)]);
      expect(await replay(options('again'), how)).toMatchObject({ isSwapped: true });
    }
    await losing.database.close();
  });

  it('resumes from its last position after a failure, and leaves the serving set unchanged', async () => {
    append(400);
    await caughtUp();
    const half = log.events[700]?.position ?? 0n;
    const broken = new LogWithFaults(log);
    broken.subscribe = async (after, prefixes) => {
      const items = await store.subscribe(after, prefixes);
      const failing = (async function* () {
        for await (const item of items) {
          if (item.kind === 'event' && item.event.position > half) throw new Error('killed');
          yield item;
        }
      })();
      return { [Symbol.asyncIterator]: () => failing, close: () => items.close() };
    };
    await expect(replay({ ...options(), store: broken }, how)).rejects.toThrow('killed');
    expect(await schemas()).toEqual([serving, buildingSchema(serving)]);
    await expect(drop(options(), serving)).rejects.toThrow('serves, and is not dropped');
    expect(await replay(options(), how)).toMatchObject({ isSwapped: true });
    expect(await listReplays(server.database, serving, 5)).toHaveLength(1);
  });

  it('rejects a second replay and impossible requests, each in one sentence', async () => {
    append(5);
    await caughtUp();
    const other = new Lease(server.database, {
      name: `replay:${serving}`,
      holder: 'x',
      durationMs: 3_600_000,
    });
    await other.tryAcquire();
    await expect(replay(options(), how)).rejects.toThrow(
      'another replay of views_901 is under way: wait until it has ended',
    );
    await other.release();
    await expect(drop(options(), 'views_5')).rejects.toThrow('no set of views is called views_5');
    await expect(rollback(options(), { schema: 'public' })).rejects.toThrow(
      'nothing to go back to',
    );
    await expect(replay({ ...options(), serving: 'views_902' }, how)).rejects.toThrow(
      'there is no set of views views_902',
    );
    await views.query('update checkpoint set fresh_at = null');
    stop.abort();
    await leading;
    await views.query('update checkpoint set fresh_at = null');
    await expect(replay(options(), how)).rejects.toThrow('being built by its projector');
  });
});

describe('the first view set of another shape', () => {
  it('is built beside the empty set that its processes read, and replaces it as a whole', async () => {
    append(30);
    suspend(log, intend(log, 'suspended'));
    await caughtUp();
    const told = await deliveries();
    const next = 'views_903';
    await createViews(server.database, next);
    const reader = server.database.beside({ searchPath: [next] });
    const seen = new Set<bigint>();
    const over = new AbortController();
    const reads = (async () => {
      while (!over.signal.aborted) {
        const text = 'select count(*) as items from transactions';
        const [row] = await reader.query<{ items: bigint }>({ name: 'spec-count', text });
        seen.add(row?.items ?? -1n);
      }
    })();
    const building = { ...options(), serving: next };
    const built = await buildFirst(building, new AbortController().signal);
    expect(await buildFirst(building, new AbortController().signal)).toEqual({
      kind: 'nothing to build',
    });
    if (built.kind !== 'built') throw new Error(built.kind);
    await built.tidied;
    over.abort();
    await reads;
    expect([...seen]).toEqual([0n, 31n]);
    expect(await deliveries()).toBe(told);
    expect(await schemas()).toEqual([serving, next]);
    await reader.close();
  });
});
