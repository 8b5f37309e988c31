import { HandMadeLog, History, type ThrowAwayDatabase, throwAwayDatabase } from '#testing';
import { listTransactions, type TransactionItem } from '#views/transactions';
import { databaseNow, noteFresh } from '#views/view-set';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { outcomesOf, readFigures, readPlatformFigures } from './query.js';
import { readFilterTotal, type TotalAsked } from './total.js';

const of = { merchantId: 'm-1', mode: 'demo' } as const;
const bound = { maxAgeMs: 3_600_000 };
const days = { from: '2026-11-20', to: '2026-11-21' };
const hourMs = 3_600_000;

let server: ThrowAwayDatabase;
let history: History;
beforeAll(async () => {
  server = await throwAwayDatabase();
});
afterAll(() => server.drop());
beforeEach(async () => {
  // Midnight in Nairobi is at 21:00 UTC.
  history = await History.begin(server, new HandMadeLog(Date.UTC(2026, 10, 20, 20)));
});
afterEach(() => history.database.close());

async function project(): Promise<void> {
  await history.project(5);
  await noteFresh(history.database, 0n, await databaseNow(history.database));
}

async function happen(): Promise<void> {
  history.pay(await history.intend('paid'));
  history.decline(await history.intend('declined'));
  const late = await history.intend('late');
  history.decline(late);
  history.payOut('wage', 'request', 'approve', 'start', 'pay');
  history.payOut('refused', 'request', 'reject');
  history.log.wait(hourMs);
  history.pay(await history.intend('paid-2'));
  await history.intend('open');
  history.suspend(await history.intend('held'));
  history.pay(await history.intend('other', 'm-2'));
  history.pay(late);
  await project();
}

describe('the figures of a merchant', () => {
  it('are grouped by the day on which an item began, in the merchant’s zone', async () => {
    await happen();
    const figures = await readFigures(history.database, { ...of, ...days }, bound);
    expect(figures.days).toMatchObject(
      [
        { day: '2026-11-20', type: 'collection', status: 'completed', count: 2n, feeMinor: 300n },
        { day: '2026-11-20', status: 'failed', count: 1n, amountMinor: 10_000n },
        { day: '2026-11-20', type: 'payout', status: 'completed', count: 1n, amountMinor: 4_000n },
        { day: '2026-11-20', type: 'payout', status: 'rejected', count: 1n },
        { day: '2026-11-21', status: 'pending', count: 2n },
        { day: '2026-11-21', status: 'completed', count: 1n },
      ].toSorted(inTheOrderOf(figures.days)),
    );
    expect(figures.reasons).toMatchObject([
      { type: 'collection', status: 'failed', failureCode: 'cancelled', count: 1n },
      { type: 'payout', status: 'rejected', failureCode: 'rejected_by_holder', count: 1n },
    ]);
  });

  it('exclude pending and rejected items from the success rate', async () => {
    await happen();
    const figures = await readFigures(history.database, { ...of, ...days }, bound);
    expect(outcomesOf(figures.days, 'collection')).toEqual({ completed: 3n, finished: 4n });
    expect(outcomesOf(figures.days, 'payout')).toEqual({ completed: 1n, finished: 1n });
  });

  it('cover one account or a single day, if asked', async () => {
    await happen();
    const ask = (more: object) => readFigures(history.database, { ...of, ...days, ...more }, bound);
    expect((await ask({ accountNo: '1001' })).days).toEqual((await ask({})).days);
    expect((await ask({ accountNo: '1002' })).days).toEqual([]);
    expect(new Set((await ask({ from: days.to })).days.map(({ day }) => day))).toEqual(
      new Set([days.to]),
    );
  });

  it('count the failure reasons from a later day on, if asked', async () => {
    await happen();
    const ask = (reasonsFrom: string) =>
      readFigures(history.database, { ...of, ...days, reasonsFrom }, bound);
    const [whole, late] = [await ask(days.from), await ask(days.to)];
    expect(late.days).toEqual(whole.days);
    expect([whole.reasons.length, late.reasons.length]).toEqual([2, 0]);
  });

  it('are summed up for all merchants', async () => {
    await happen();
    const { days: all } = await readPlatformFigures(
      history.database,
      { mode: 'demo', ...days },
      bound,
    );
    expect(all).toContainEqual(
      expect.objectContaining({ day: '2026-11-21', status: 'completed', count: 2n }),
    );
    expect(outcomesOf(all, 'collection')).toEqual({ completed: 4n, finished: 5n });
    const live = await readPlatformFigures(history.database, { mode: 'live', ...days }, bound);
    expect(live.days).toEqual([]);
  });

  it('are rejected for old views, for a quarantined merchant and for too many days', async () => {
    await happen();
    const { database } = history;
    const ask = (more: object = {}) => readFigures(database, { ...of, ...days, ...more }, bound);
    await expect(ask({ from: '2020-01-01' })).rejects.toThrow(RangeError);
    await database.query(
      `insert into quarantines (merchant_id, scope, position, stream, type, event_id, recorded_at, why, applied_to)
       values ('m-1', 'demo', 1, 's', 't', gen_random_uuid(), now(), 'why', 1)`,
    );
    await database.query('update checkpoint set quarantined = 1');
    await expect(ask()).rejects.toThrow('cannot be applied');
    await expect(readFilterTotal(database, total(), bound)).rejects.toThrow('cannot be applied');
    await database.query(`delete from quarantines`);
    await database.query(`update checkpoint set fresh_at = fresh_at - interval '2 hours'`);
    await expect(ask()).rejects.toThrow('READ_MODEL_MAX_AGE');
    await expect(readFilterTotal(database, total(), bound)).rejects.toThrow('READ_MODEL_MAX_AGE');
  });
});

const total = (more: Partial<TotalAsked> = {}): TotalAsked => ({
  ...of,
  dateField: 'created_at',
  ...more,
});

describe('the total of a filter', () => {
  it('is the sum over the list with the same filter', async () => {
    await happen();
    const types = [undefined, 'collection', 'payout'] as const;
    const statuses = [undefined, 'pending', 'completed', 'failed', 'rejected'] as const;
    const ranges = [{}, { from: days.to }, { to: days.from }, days, { from: '2026-11-22' }];
    for (const type of types)
      for (const status of statuses)
        for (const range of ranges) {
          const filter = { ...(type && { type }), ...(status && { status }), ...range };
          const found = await readFilterTotal(history.database, total(filter), bound);
          expect([filter, found?.currencies]).toEqual([filter, sumOf(await list(filter))]);
        }
  });

  it('counts the items under review, or of one account', async () => {
    await happen();
    const ask = async (more: Partial<TotalAsked>) =>
      (await readFilterTotal(history.database, total(more), bound))?.currencies;
    expect(await ask({ underReview: true })).toMatchObject([{ currency: 'KES', count: 1n }]);
    expect(await ask({ underReview: false })).toMatchObject([{ count: 7n }]);
    expect(await ask({ accountNo: '1001' })).toMatchObject([{ count: 8n }]);
    expect(await ask({ accountNo: '1002' })).toEqual([]);
  });

  it('counts the items that need attention, including payouts that wait for float', async () => {
    await happen();
    history.payOut('unfunded', 'request', 'approve', 'wait for float');
    history.payOut('asked', 'request');
    history.payOut('sent', 'request', 'approve', 'start');
    await project();
    const ranges = [{}, { from: days.to }, { to: days.from }];
    for (const more of [{}, { status: 'pending' }, { type: 'payout' }, { accountNo: '1002' }])
      for (const range of ranges) {
        const filter = { attention: true as const, ...more, ...range } as Partial<TotalAsked>;
        const found = await readFilterTotal(history.database, total(filter), bound);
        expect([filter, found?.currencies]).toEqual([filter, sumOf(await list(filter))]);
      }
    const needing = await list({ attention: true });
    expect(needing.map(({ reference }) => reference)).toEqual(['asked', 'unfunded', 'held']);
  });

  it.each([
    { batch: 'wages' },
    { receipt: 'R1' },
    { atPosition: 1n },
    { dateField: 'paid_at', from: '2026-11-20' },
  ] as const)('is unknown for %o', async (filter) => {
    await project();
    expect(await readFilterTotal(history.database, total(filter), bound)).toBeUndefined();
  });
});

async function list(filter: object): Promise<readonly TransactionItem[]> {
  const page = { ...of, dateField: 'created_at', limit: 100, ...filter } as const;
  return (await listTransactions(history.database, page, bound)).items;
}

function sumOf(items: readonly TransactionItem[]): object[] {
  if (items.length === 0) return [];
  const sum = (of: (item: TransactionItem) => bigint): bigint =>
    items.reduce((all, item) => all + of(item), 0n);
  const [amountMinor, feeMinor] = [
    sum(({ amount_minor }) => amount_minor),
    sum(({ fee_minor }) => fee_minor),
  ];
  return [{ currency: 'KES', count: BigInt(items.length), amountMinor, feeMinor }];
}

interface Placed {
  readonly day?: string;
  readonly type?: string;
  readonly status: string;
}

/** Only the order of days is promised. */
function inTheOrderOf(found: readonly Placed[]): (one: Placed, other: Placed) => number {
  const placeOf = (wanted: Placed): number =>
    found.findIndex(
      ({ day, type, status }) =>
        day === wanted.day && status === wanted.status && type === (wanted.type ?? 'collection'),
    );
  return (one, other) => placeOf(one) - placeOf(other);
}
