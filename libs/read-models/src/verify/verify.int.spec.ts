import { randomBytes, randomUUID } from 'node:crypto';
import { type CollectionEvent, collectionStream } from '#collections';
import { EventStore, type RecordedEvent } from '#event-sourcing';
import { type Instant, type Mode } from '#kernel';
import { collectionLegs, suspenseLegs } from '#ledger';
import { type MerchantEvent, merchantStream } from '#merchants';
import { Database } from '#postgres';
import { createLogger } from '#runtime';
import { HandMadeLog, throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { applyBatch } from '../view-set/apply-batch.js';
import { advanceCheckpoint, createViews, readCheckpoint } from '../view-set/view-set.js';
import { type VerifyReport, verifyViews } from './verify-views.js';

/** What verify reads of a store, over a log made by hand. */
class ReadOnlyLog extends EventStore {
  constructor(private readonly log: HandMadeLog) {
    super();
  }
  override append(): never {
    throw new Error('verify appends nothing');
  }
  override subscribe(): never {
    throw new Error('verify follows nothing');
  }
  override readLast(): never {
    throw new Error('verify needs whole streams');
  }
  override readStream<E extends { type: string; data: object }>(
    stream: string,
  ): Promise<RecordedEvent<E>[]> {
    const events = this.log.events.filter((event) => event.stream === stream);
    return Promise.resolve(events as RecordedEvent<E>[]);
  }
  override head(): Promise<bigint> {
    return Promise.resolve(this.log.events.at(-1)?.position ?? 0n);
  }
  override async *readAll(): AsyncGenerator<RecordedEvent, void, void> {
    for (const event of [...this.log.events]) yield await Promise.resolve(event);
  }
}

const merchants = ['m-1', 'm-2'] as const;
const accountOf = { 'm-1': '1001', 'm-2': '1002' } as const;
type Merchant = (typeof merchants)[number];

let server: ThrowAwayDatabase;
let sets = 0;
beforeAll(async () => {
  server = await throwAwayDatabase();
});
afterAll(() => server.drop());

/** A history with its views, the projector's own code having written them. */
class History {
  readonly log = new HandMadeLog(Date.now() - 3_600_000);
  private projected = 0;

  private constructor(readonly database: Database) {}

  static async begin(): Promise<History> {
    sets += 1;
    const schema = `views_verify_${sets}`;
    await createViews(server.database, schema);
    await server.database.query('truncate records.idempotency_claims');
    const logger = createLogger({ app: 'spec', level: 'fatal' });
    const options = { url: server.url, app: 'spec', logger, searchPath: [schema], poolSize: 2 };
    const history = new History(new Database(options));
    for (const merchantId of merchants)
      history.log.append<MerchantEvent>(
        merchantStream(merchantId),
        {
          type: 'MerchantRegistered',
          data: { merchantId, name: 'Duka', timezone: 'Africa/Nairobi', country: 'KE' },
        },
        {
          type: 'AccountOpened',
          data: { accountNo: accountOf[merchantId], mode: 'demo', currency: 'KES' },
        },
      );
    return history;
  }

  /** Claims the reference, as the edge does, and records the intent. */
  async intend(reference: string, merchantId: Merchant = 'm-1', mode: Mode = 'demo') {
    const origin = 'v4';
    await this.claim(reference);
    const stream = collectionStream({ merchantId, mode, reference });
    this.append(stream, {
      type: 'CollectionIntentRecorded',
      data: {
        ...{ merchantId, mode, currency: 'KES', amountMinor: 10_000n, feeMinor: 150n, origin },
        ...{ accountNo: accountOf[merchantId], channel: 'mpesa', reference },
        ...{ accountReference: 'ABCDEFGHJKMN', phoneHmac: 'h', phoneMasked: '2547*****678' },
      },
    });
    return stream;
  }

  claim(reference: string, ageMs = 3_600_000): Promise<object[]> {
    return server.database.query(
      `insert into records.idempotency_claims values ($1, $2, $3, records.now_() - $4 * interval '1 millisecond')`,
      [randomBytes(32), randomBytes(32), reference, ageMs],
    );
  }

  append(stream: string, ...events: readonly CollectionEvent[]): void {
    this.log.wait(250).append(stream, ...events);
  }

  accept(stream: string): void {
    this.append(stream, { type: 'RailPushAccepted', data: { railReference: `ws_${stream}` } });
  }

  pay(stream: string): void {
    const [, merchantId, reference] = stream.split(':') as [string, Merchant, string];
    const mode: Mode = stream.startsWith('collection-live') ? 'live' : 'demo';
    const [amountMinor, feeMinor, accountNo] = [10_000n, 150n, accountOf[merchantId]];
    const confirmed = {
      by: 'callback',
      resultCode: '0',
      receipt: `R${reference}`,
      amountMinor,
    } as const;
    const legs = collectionLegs({ rail: 'mpesa', accountNo, amountMinor, feeMinor });
    const posted = {
      merchantId,
      mode,
      reference,
      accountNo,
      currency: 'KES',
      amountMinor,
      feeMinor,
    };
    this.append(
      stream,
      {
        type: 'RailConfirmed',
        data: { ...confirmed, paidAt: '2026-11-20T09:00:01.000Z' as Instant },
      },
      { type: 'WalletPosted', data: { ...posted, legs, requestCommitment: 'c' } },
    );
  }

  decline(stream: string): void {
    this.append(stream, { type: 'RailDeclined', data: { by: 'query', failureCode: 'cancelled' } });
  }

  suspend(stream: string): void {
    const amountMinor = 10_001n;
    const legs = suspenseLegs({ rail: 'mpesa', amountMinor });
    this.append(
      stream,
      { type: 'AmountMismatchRecorded', data: { receipt: 'S', amountMinor } },
      { type: 'SuspensePosted', data: { receipt: 'S', amountMinor, legs } },
    );
  }

  flag(stream: string): void {
    this.append(stream, { type: 'ReviewFlagged', data: { why: 'second_receipt' } });
  }

  /** Projects what is new, in batches of this size, as a projector does. */
  async project(batch = 1000): Promise<void> {
    while (this.projected < this.log.events.length) {
      const events = this.log.events.slice(this.projected, this.projected + batch);
      const last = events.at(-1);
      if (!last) return;
      const { position, stream, revision, id } = last;
      await this.database.transaction(async (transaction) => {
        const lastEvent = { stream, revision, id };
        await advanceCheckpoint(transaction, await readCheckpoint(transaction), {
          position,
          lastEvent,
        });
        await applyBatch(transaction, events);
      });
      this.projected += events.length;
    }
  }

  verify(mostHeld?: number): Promise<VerifyReport> {
    const store = new ReadOnlyLog(this.log);
    const options = { store, database: this.database, mostNamed: 50 };
    return verifyViews(mostHeld === undefined ? options : { ...options, mostHeld });
  }

  tamper(statement: string): Promise<object[]> {
    return this.database.query(statement);
  }
}

let history: History;
beforeEach(async () => {
  history = await History.begin();
});
afterEach(() => history.database.close());

/** Three collections: paid, declined, paid. */
async function threeCollections(): Promise<string[]> {
  const streams: string[] = [];
  for (const reference of ['A', 'B', 'C']) {
    const stream = await history.intend(reference);
    streams.push(stream);
    history.accept(stream);
    if (reference === 'B') history.decline(stream);
    else history.pay(stream);
  }
  await history.project();
  return streams;
}

describe('views that hold what the log says', () => {
  it('verify clean, and the report says what was compared', async () => {
    await threeCollections();
    expect(await history.verify()).toMatchObject({
      differences: 0,
      events: 15,
      collections: 3,
      postings: 2,
      ledgerEntries: 6,
      balances: 3,
      claims: 3,
      claimsWithoutCollection: 0,
      position: history.log.events.at(-1)?.position,
    });
  });

  it('verify clean at every stage of a collection and of its review', async () => {
    const stream = await history.intend('A');
    const steps = ['accept', 'flag', 'decline', 'suspend', 'pay', 'flag'] as const;
    for (const step of steps) {
      await history.project();
      expect(await history.verify()).toMatchObject({ differences: 0, named: [] });
      history[step](stream);
    }
  });

  it('verify clean where they are behind the log, and the report says so', async () => {
    await threeCollections();
    history.pay(await history.intend('later'));
    const { differences, position, head } = await history.verify();
    expect(differences).toBe(0);
    expect(head).toBeGreaterThan(position);
  });

  it('verify clean before anything was projected', async () => {
    expect(await history.verify()).toMatchObject({ differences: 0, events: 0, position: 0n });
  });

  it('verify clean while fewer collections are held than are open, and than get late events', async () => {
    const streams: string[] = [];
    for (let number = 0; number < 60; number += 1) streams.push(await history.intend(`R${number}`));
    for (const stream of streams) history.accept(stream);
    for (const stream of streams.toReversed()) history.suspend(stream);
    for (const stream of streams) history.pay(stream);
    // An event that changes nothing in the row: it comes when the collection was let go of as done.
    for (const stream of streams) history.accept(stream);
    await history.project();
    expect(await history.verify(5)).toMatchObject({
      differences: 0,
      collections: 60,
      postings: 120,
    });
    await history.tamper(`update transactions set receipt = 'X' where reference in ('R7', 'R59')`);
    const { named } = await history.verify(5);
    expect(named.map(({ reference, field }) => [reference, field]).toSorted()).toEqual([
      ['R59', 'receipt'],
      ['R7', 'receipt'],
    ]);
  });
});

describe('a difference is named with what was expected and what was found:', () => {
  const of = { reference: 'A', stream: 'collection-demo:m-1:A' };
  it.each([
    [
      'a ledger entry off by one minor unit',
      `update ledger_entries set amount_minor = amount_minor + 1 where stream like '%:A' and leg = 1`,
      {
        table: 'ledger_entries',
        field: 'amount_minor',
        expected: '9850',
        found: '9851',
        account: 'wallet:1001',
        ...of,
      },
    ],
    [
      'a ledger entry that is missing',
      `delete from ledger_entries where stream like '%:A' and leg = 2`,
      {
        table: 'ledger_entries',
        field: 'row',
        expected: '150',
        found: null,
        account: 'fees',
        ...of,
      },
    ],
    [
      'a ledger entry that stands twice',
      `insert into ledger_entries select position, leg + 1, event_id, stream, mode, currency, account, amount_minor, recorded_at from ledger_entries where stream like '%:A' and leg = 2`,
      {
        table: 'ledger_entries',
        field: 'row',
        expected: null,
        found: '150',
        account: 'fees',
        ...of,
      },
    ],
    [
      'a balance off by one minor unit',
      `update balances set credits_minor = credits_minor - 1 where account = 'wallet:1001'`,
      {
        table: 'balances',
        field: 'credits_minor',
        expected: '19700',
        found: '19699',
        account: 'demo:KES:wallet:1001',
      },
    ],
    [
      'a balance that is missing',
      `delete from balances where account = 'fees'`,
      {
        table: 'balances',
        field: 'credits_minor',
        expected: '300',
        found: null,
        account: 'demo:KES:fees',
      },
    ],
    [
      'an amount in the list',
      `update transactions set amount_minor = 10001 where reference = 'A'`,
      {
        table: 'transactions',
        field: 'amount_minor',
        expected: '10000',
        found: '10001',
        account: 'wallet:1001',
        ...of,
      },
    ],
    [
      'a status',
      `update transactions set status = 'failed' where reference = 'A'`,
      { table: 'transactions', field: 'status', expected: 'completed', found: 'failed', ...of },
    ],
    [
      'a day',
      `update transactions set completed_on = completed_on + 1 where reference = 'A'`,
      { table: 'transactions', field: 'completed_on', expected: null, ...of },
    ],
    [
      'a row of the list that is missing',
      `delete from transactions where reference = 'B'`,
      { table: 'transactions', field: 'row', expected: 'a row', found: null, reference: 'B' },
    ],
    [
      'a row of the list that is too many',
      `insert into transactions select position + 1, stream || 'x', merchant_id, mode, type, reference, status, amount_minor, currency, fee_minor, id, account_no, channel, rail_reference, receipt, failure_code, under_review, created_at, completed_at, paid_at, requested_minor, created_on, completed_on, paid_on from transactions where reference = 'B'`,
      { table: 'transactions', field: 'row', expected: null, found: 'failed', reference: 'Bx' },
    ],
    [
      'a collection that nobody asks the rail about',
      `insert into rail_queries select stream, mode, rail_reference, created_at from transactions where reference = 'A'`,
      { table: 'rail_queries', field: 'row', expected: null, found: 'a row', ...of },
    ],
    [
      'a review of nothing',
      `insert into reviews select 'collection-demo:m-1:Z', merchant_id, mode, reference, 'second_receipt', created_at, 1 from transactions where reference = 'A'`,
      { table: 'reviews', field: 'row', expected: null, found: 'a row', reference: 'Z' },
    ],
    [
      'the bounds of a day',
      `update transaction_days set last_position = last_position - 1`,
      { table: 'transaction_days', field: 'last_position' },
    ],
    [
      'a claim that is missing',
      `delete from records.idempotency_claims where reference = 'A'`,
      { table: 'idempotency_claims', field: 'reference', expected: 'A', found: null, ...of },
    ],
    [
      'a claim of another reference',
      `update records.idempotency_claims set reference = 'Q' where reference = 'A'`,
      { table: 'idempotency_claims', field: 'reference', expected: 'A', found: null, ...of },
    ],
    [
      'a checkpoint that names another event',
      `update checkpoint set event_id = '${randomUUID()}'`,
      { table: 'checkpoint', field: 'event_id' },
    ],
  ])('%s', async (_what, statement, expected) => {
    await threeCollections();
    await history.tamper(statement);
    const { named, differences } = await history.verify();
    expect(named[0]).toMatchObject(expected);
    // The list's own days follow its rows: a row too many, or none, may move a day's bounds as well.
    expect(
      named.filter(({ table }) => table !== 'transaction_days' || expected.table === table).length,
    ).toBeGreaterThanOrEqual(1);
    expect(differences).toBe(named.length);
  });

  it('a checkpoint ahead of the log', async () => {
    await threeCollections();
    const end = history.log.events.at(-1)?.position ?? 0n;
    await history.tamper('update checkpoint set position = position + 1');
    const expected = {
      table: 'checkpoint',
      field: 'position',
      expected: String(end),
      found: String(end + 1n),
    };
    expect((await history.verify()).named).toEqual([expected]);
  });

  it('a batch that was lost, as a partial restore leaves it', async () => {
    const [stream = ''] = await threeCollections();
    history.flag(stream);
    history.pay(await history.intend('D'));
    const last = history.log.events.at(-1);
    await history.tamper(
      `update checkpoint set position = ${last?.position}, stream = '${last?.stream}', revision = ${last?.revision}, event_id = '${last?.id}'`,
    );
    const { differencesByTable } = await history.verify();
    expect(Object.fromEntries(differencesByTable)).toMatchObject({
      transactions: 2,
      ledger_entries: 3,
      balances: 3,
      reviews: 1,
    });
  });

  it('legs in the log that do not sum to zero', async () => {
    const stream = await history.intend('A');
    const legs = suspenseLegs({ rail: 'mpesa', amountMinor: 100n }).slice(1);
    history.append(stream, { type: 'SuspensePosted', data: { amountMinor: 100n, legs } });
    await history.project();
    expect((await history.verify()).named).toMatchObject([
      { table: 'events', field: 'legs', expected: '0', found: '100', stream },
    ]);
  });

  it('all are counted, the first ones named', async () => {
    await threeCollections();
    await history.tamper('delete from ledger_entries');
    const store = new ReadOnlyLog(history.log);
    const report = await verifyViews({ store, database: history.database, mostNamed: 2 });
    expect(report.differences).toBe(6);
    expect(report.named).toHaveLength(2);
  });
});

describe('an idempotency claim', () => {
  it('of each merchant and mode is looked for, though they share the reference', async () => {
    await history.intend('A');
    await history.intend('A', 'm-2');
    await history.intend('A', 'm-1', 'live');
    await history.project();
    expect((await history.verify()).differences).toBe(0);
    await history.tamper(`delete from records.idempotency_claims
      where key_hash = (select min(key_hash) from records.idempotency_claims)`);
    expect((await history.verify()).named).toMatchObject([{ expected: 'A', found: null }]);
  });

  it('may be more than one for a reference, and older or later than its intent', async () => {
    await history.intend('A');
    await history.claim('A', 10);
    await history.claim('A', 7_200_000);
    await history.project();
    expect(await history.verify()).toMatchObject({ differences: 0, claimsWithoutCollection: 0 });
    await history.tamper(
      `delete from records.idempotency_claims where claimed_at < now() - interval '1 minute'`,
    );
    expect((await history.verify()).differences).toBe(0);
  });

  it('without a collection is a note: its call ended before the intent', async () => {
    await threeCollections();
    await history.claim('gone');
    await history.claim('at-work', 1000);
    expect(await history.verify()).toMatchObject({ differences: 0, claimsWithoutCollection: 1 });
  });

  it('is not looked for after 30 days, nor for another door than V4', async () => {
    const old = new HandMadeLog(Date.now() - 31 * 86_400_000);
    Object.assign(history, { log: Object.assign(old, { events: history.log.events }) });
    await threeCollections();
    await history.tamper('delete from records.idempotency_claims');
    expect((await history.verify()).differences).toBe(0);
  });
});

/** The columns that say something; of a claim only the reference can be held against the log. */
const tables = {
  transactions: undefined,
  transaction_days: undefined,
  ledger_entries: undefined,
  balances: undefined,
  rail_queries: undefined,
  reviews: undefined,
  checkpoint: ['position', 'stream', 'revision', 'event_id'],
  'records.idempotency_claims': ['reference'],
} as const;
type Table = keyof typeof tables;

const changed: Readonly<Record<string, (column: string) => string>> = {
  text: (column) => `coalesce(${column}, '') || 'x'`,
  bigint: (column) => `${column} + 1`,
  smallint: (column) => `${column} + 7`,
  numeric: (column) => `${column} + 1`,
  boolean: (column) => `not ${column}`,
  uuid: () => 'gen_random_uuid()',
  date: (column) => `coalesce(${column}, current_date) + 1`,
  'timestamp with time zone': (column) => `coalesce(${column}, now()) + interval '1 millisecond'`,
};

/** Changes one value of one row, or takes the row away. @returns whether there was a row */
async function mutate({ database }: History, table: Table, draw: readonly number[]) {
  const [pickRow = 0, pickColumn = 0] = draw;
  const rows = await database.query<{ ctid: string }>(
    `select ctid::text from ${table} order by ctid`,
  );
  const row = rows[pickRow % Math.max(1, rows.length)];
  if (!row) return undefined;
  const columns = await database.query<{ name: string; type: string }>(
    `select attname as name, regexp_replace(format_type(atttypid, null), '\\(.*\\)', '') as type
     from pg_attribute where attrelid = '${table}'::regclass and attnum > 0`,
  );
  const some: readonly string[] | undefined = tables[table];
  const known = columns.filter(({ name }) => some?.includes(name) ?? true);
  const column = known[pickColumn % (known.length + (table === 'checkpoint' ? 0 : 1))];
  const change = column && changed[column.type]?.(column.name);
  const statement = column
    ? `update ${table} set ${column.name} = ${change} where ctid = '${row.ctid}'`
    : `delete from ${table} where ctid = '${row.ctid}'`;
  await database.query(statement);
  return statement;
}

describe('whatever the history', () => {
  const actions = ['accept', 'pay', 'decline', 'suspend', 'flag'] as const;
  const step = fc.tuple(fc.nat(5), fc.constantFrom(...actions, 'intend' as const));

  it('its projection verifies clean, and no single change of a table stays hidden', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 25 }),
        fc.record({ batch: fc.integer({ min: 1, max: 9 }), mostHeld: fc.constantFrom(1, 3, 1000) }),
        fc.constantFrom(...(Object.keys(tables) as Table[])),
        fc.tuple(fc.nat(), fc.nat()),
        async (steps, { batch, mostHeld }, table, draw) => {
          const random = await History.begin();
          try {
            const streams = [await random.intend('first')];
            for (const [number, action] of steps) {
              if (action === 'intend')
                streams.push(await random.intend(`R${streams.length}`, 'm-2'));
              else random[action](streams[number % streams.length] ?? '');
            }
            await random.project(batch);
            expect(await random.verify(mostHeld)).toMatchObject({ differences: 0, named: [] });
            const mutation = await mutate(random, table, draw);
            const { differences } = await random.verify(mostHeld);
            expect([mutation, differences > 0]).toEqual([mutation, mutation !== undefined]);
          } finally {
            await random.database.close();
          }
        },
      ),
      { numRuns: 80 },
    );
  }, 120_000);
});
