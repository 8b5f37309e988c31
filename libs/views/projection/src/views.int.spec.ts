import { type CollectionEvent, collectionStream } from '#domain/collections';
import { type RecordedEvent } from '#domain/event-sourcing';
import { merchantStream } from '#domain/merchants';
import { payoutBatchStream, payoutStream } from '#domain/payouts';
import { Database } from '#infra/postgres';
import { Metrics } from '#infra/runtime';
import {
  accept,
  decline,
  HandMadeLog,
  intend,
  merchantId,
  of,
  onboarded,
  paidAt,
  pay,
  payByQuery,
  ReadOnlyLog,
  receipt,
  release,
  suspend,
  throwAwayDatabase,
  type ThrowAwayDatabase,
} from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { applyBatch } from './apply-batch.js';
import { UnprojectableEvent } from './event-subjects.js';
import { createViews, databaseNow, noteFresh } from '#views/view-set';
import { findBalance } from '#views/balances';
import { CachedMerchantDirectory, findCredential } from '#views/merchants';
import {
  findStreamsByPhone,
  listTransactions,
  type TransactionItem,
  transactionFrom,
} from '#views/transactions';
import { watchViews } from './watch-views.js';
import { dueRailQueries } from '#views/rail-queries';
import { payoutBatchesToSettle, payoutBatchSums } from '#views/payouts';

const bound = { maxAgeMs: 3_600_000 };

let server: ThrowAwayDatabase;
const opened: Database[] = [];
beforeAll(async () => {
  server = await throwAwayDatabase();
});
afterAll(async () => {
  await Promise.all(opened.map((database) => database.close()));
  await server.drop();
});

let made = 0;
/** A view set for one test, up to date by default. */
async function views({ fresh = true } = {}): Promise<Database> {
  made += 1;
  const schema = `views_spec_${made}`;
  await createViews(server.database, schema);
  const database = server.database.beside({ searchPath: [schema], isPipelined: true, poolSize: 2 });
  opened.push(database);
  if (fresh) await noteFresh(database, 0n, await databaseNow(database));
  return database;
}

const project = (database: Database, events: readonly RecordedEvent[]): Promise<void> =>
  database.transaction((transaction) => applyBatch(transaction, events));

async function list(
  database: Database,
  page: Partial<Parameters<typeof listTransactions>[1]> = {},
): Promise<readonly TransactionItem[]> {
  const query = { ...of, dateField: 'created_at', limit: 100, ...page } as const;
  return (await listTransactions(database, query, bound)).items;
}

const references = (items: readonly TransactionItem[]): string[] =>
  items.map(({ reference }) => reference);

describe('a collection in the views', () => {
  it('is the same in the list as folded from its stream, at every step', async () => {
    const database = await views();
    const log = onboarded();
    await project(database, log.events);
    const stream = intend(log, 'A');
    const steps = [() => undefined, accept, decline, pay] as const;
    for (const step of steps) {
      const before = log.events.length;
      step(log, stream);
      await project(database, log.events.slice(step === steps[0] ? before - 1 : before));
      const history = log.events.filter((event) => event.stream === stream);
      expect(await list(database)).toEqual([
        transactionFrom(history as RecordedEvent<CollectionEvent>[]),
      ]);
    }
    expect(await list(database)).toMatchObject([{ status: 'completed', failure_code: null }]);
  });

  it('changes the balance only by its legs, and all ledger entries add up to it', async () => {
    const database = await views();
    const log = onboarded();
    for (const reference of ['A', 'B']) {
      const stream = intend(log, reference);
      accept(log, stream);
      pay(log, stream);
    }
    decline(log, intend(log, 'C'));
    await project(database, log.events);
    const balance = await findBalance(database, { ...of, accountNo: '1001' }, bound);
    expect(balance).toMatchObject({ postedMinor: 19_690n, availableMinor: 19_690n });
    const [sum] = await database.query<{ sum: string }>(
      `select sum(amount_minor)::text as sum from ledger_entries where account = 'wallet:1001'`,
    );
    expect(sum).toEqual({ sum: '19690' });
    const [all] = await database.query<{ zero: string }>(
      'select sum(credits_minor - debits_minor)::text as zero from balances',
    );
    expect(all).toEqual({ zero: '0' });
  });

  it('stays pending and under review while its money is in suspense', async () => {
    const database = await views();
    const log = onboarded();
    const stream = intend(log, 'A');
    accept(log, stream);
    suspend(log, stream);
    await project(database, log.events);
    expect(await list(database)).toMatchObject([{ status: 'pending', under_review: true }]);
    const rows = await database.query(
      `select mode, currency, credits_minor from balances where account = 'suspense'`,
    );
    expect(rows).toEqual([{ mode: 'demo', currency: 'KES', credits_minor: '10001' }]);
  });

  it('is on the query list from its acceptance to its end', async () => {
    const database = await views();
    // The list compares intents with the database's clock, and collections that are too old are no longer asked about.
    const log = onboarded(new HandMadeLog(Date.now() - 60_000));
    const stream = intend(log, 'A');
    intend(log, 'answer-lost');
    accept(log, stream);
    await project(database, log.events);
    const due = async (): Promise<readonly object[]> =>
      (await dueRailQueries(database, { delaysMs: [1], channel: 'mpesa', mode: 'demo', max: 10 }))
        .due;
    expect(await due()).toMatchObject([{ stream, asked: 0, railReference: `ws_${stream}` }]);
    const before = log.events.length;
    pay(log, stream);
    await project(database, log.events.slice(before));
    expect(await due()).toEqual([]);
  });

  it('stays on the query list after a decline, among those queried last', async () => {
    const database = await views();
    const log = onboarded(new HandMadeLog(Date.now() - 60_000));
    const stream = intend(log, 'A');
    const unanswered = intend(log, 'answer-lost');
    accept(log, stream);
    for (const declined of [stream, unanswered]) decline(log, declined);
    await project(database, log.events);
    const due = async (declined: boolean): Promise<readonly object[]> => {
      const options = { delaysMs: [1], channel: 'mpesa', mode: 'demo', max: 10, declined } as const;
      return (await dueRailQueries(database, options)).due;
    };
    expect(await due(false)).toEqual([]);
    expect(await due(true)).toMatchObject([{ stream, asked: 0, previous: null }]);
    const before = log.events.length;
    pay(log, stream);
    await project(database, log.events.slice(before));
    expect(await due(true)).toEqual([]);
  });
});

describe('a collection that a person must review', () => {
  it('is queried as before while it is pending, but not while its money is in suspense', async () => {
    const database = await views();
    const log = onboarded(new HandMadeLog(Date.now() - 60_000));
    const [flagged, held] = [intend(log, 'A'), intend(log, 'B')];
    for (const stream of [flagged, held]) accept(log, stream);
    const data = { why: 'other_checkout' } as const;
    log.append<CollectionEvent>(flagged, { type: 'ReviewFlagged', data });
    suspend(log, held);
    await project(database, log.events);
    const options = {
      delaysMs: [1],
      channel: 'mpesa',
      mode: 'demo',
      max: 10,
      declined: true,
    } as const;
    expect((await dueRailQueries(database, options)).due).toMatchObject([{ stream: flagged }]);
  });
});

describe('the list', () => {
  it('pages newest first through every item once, for any page size', async () => {
    const database = await views();
    const log = onboarded();
    const made = Array.from({ length: 23 }, (_, index) => `R${index}`);
    for (const reference of made) intend(log, reference);
    await project(database, log.events);
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 30 }), async (limit) => {
        const seen: string[] = [];
        let before: bigint | undefined;
        do {
          const page = { ...of, dateField: 'created_at', limit } as const;
          const listed = await listTransactions(
            database,
            before === undefined ? page : { ...page, before },
            bound,
          );
          seen.push(...references(listed.items));
          before = listed.next;
        } while (before !== undefined);
        expect(seen).toEqual(made.toReversed());
      }),
      { numRuns: 12 },
    );
  });

  it('filters by type, status and whole days of the merchant’s time zone', async () => {
    const database = await views();
    // 20:30 UTC is 23:30 in Nairobi; an hour later it is the next day there.
    const log = onboarded(new HandMadeLog(Date.UTC(2026, 10, 20, 20, 30)));
    const lateEvening = intend(log, 'evening');
    log.wait(3_600_000);
    intend(log, 'after-midnight');
    pay(log, lateEvening);
    await project(database, log.events);
    const found = async (page: Parameters<typeof list>[1]): Promise<string[]> =>
      references(await list(database, page));
    expect(await found({ from: '2026-11-20', to: '2026-11-20' })).toEqual(['evening']);
    expect(await found({ from: '2026-11-21' })).toEqual(['after-midnight']);
    expect(await found({ to: '2026-11-19' })).toEqual([]);
    expect(await found({ dateField: 'completed_at', from: '2026-11-21' })).toEqual(['evening']);
    expect(await found({ dateField: 'paid_at', to: '2026-11-20' })).toEqual(['evening']);
    expect(await found({ status: 'completed' })).toEqual(['evening']);
    expect(await found({ type: 'payout' })).toEqual([]);
  });

  it('omits no money by paid_at: if the rail has not reported its time, the posting’s day counts', async () => {
    const database = await views();
    // Noon of the 21st in Nairobi; the rail's own time is of the 20th.
    const log = onboarded(new HandMadeLog(Date.UTC(2026, 10, 21, 9)));
    const [told, asked, held] = ['told', 'asked', 'held'].map((name) => intend(log, name)) as [
      string,
      string,
      string,
    ];
    intend(log, 'unpaid');
    pay(log, told);
    payByQuery(log, asked);
    suspend(log, held);
    log.wait(2 * 86_400_000);
    release(log, held);
    await project(database, log.events);
    const paidOn = async (day: string) =>
      (await list(database, { dateField: 'paid_at', from: day, to: day })).map((item) => [
        item.reference,
        item.paid_at,
        item.paid_at_known,
      ]);
    expect(await paidOn('2026-11-20')).toEqual([['told', paidAt, true]]);
    expect(await paidOn('2026-11-21')).toEqual([
      ['held', null, false],
      ['asked', null, false],
    ]);
    const { length } = log.events;
    log.append<CollectionEvent>(asked, {
      type: 'RailReceiptRecorded',
      data: { receipt, amountMinor: 10_000n, paidAt },
    });
    await project(database, log.events.slice(length));
    expect(await paidOn('2026-11-20')).toEqual([
      ['asked', paidAt, true],
      ['told', paidAt, true],
    ]);
    expect(await paidOn('2026-11-21')).toEqual([['held', null, false]]);
    expect(await list(database, { dateField: 'completed_at', from: '2026-11-23' })).toMatchObject([
      { reference: 'held', status: 'completed' },
    ]);
  });

  it('shows a payment on the day the rail took it, even in suspense', async () => {
    const database = await views();
    // Noon of the 21st in Nairobi; the rail's own time is of the 20th.
    const log = onboarded(new HandMadeLog(Date.UTC(2026, 10, 21, 9)));
    const held = intend(log, 'held');
    suspend(log, held, { at: paidAt });
    await project(database, log.events);
    const paidOn = (day: string) => list(database, { dateField: 'paid_at', from: day, to: day });
    const shown = { reference: 'held', paid_at: paidAt, paid_at_known: true };
    expect(await paidOn('2026-11-20')).toMatchObject([{ ...shown, status: 'pending' }]);
    expect(await paidOn('2026-11-21')).toEqual([]);

    log.wait(2 * 86_400_000);
    const { length } = log.events;
    release(log, held, paidAt);
    await project(database, log.events.slice(length));
    expect(await paidOn('2026-11-20')).toMatchObject([{ ...shown, status: 'completed' }]);
    for (const later of ['2026-11-21', '2026-11-23']) expect(await paidOn(later)).toEqual([]);
  });

  it('shows nothing of another merchant or of the other mode', async () => {
    const database = await views();
    const log = onboarded();
    intend(log, 'A');
    await project(database, log.events);
    expect(await list(database, { merchantId: 'm-2' })).toEqual([]);
    expect(await list(database, { mode: 'live' })).toEqual([]);
  });
});

describe('a merchant whose time zone was once read as an offset', () => {
  it.each([
    ['+03:00', '2026-11-21'],
    ['-03:30', '2026-11-20'],
  ])('%s has its own days, not those of the opposite offset', async (timezone, day) => {
    const database = await views();
    const log = new HandMadeLog(Date.UTC(2026, 10, 20, 22));
    const registered = { merchantId, name: 'Duka', timezone, country: 'KE' };
    log.append(merchantStream(merchantId), { type: 'MerchantRegistered', data: registered });
    intend(log, 'late in the evening');
    await project(database, log.events);
    expect(await list(database, { from: day, to: day })).toHaveLength(1);
  });
});

describe('views in a process that only reads them', () => {
  it('report their age and position, and the end of the log', async () => {
    const database = await views();
    const log = onboarded();
    await project(database, log.events);
    await database.query(
      `update checkpoint set position = 1234, fresh_at = records.now_() - interval '90 seconds'`,
    );
    const metrics = new Metrics();
    watchViews(database, new ReadOnlyLog(log), metrics);
    const text = await metrics.registry.metrics();
    const [age = NaN, position, end] = [
      'views_age_seconds',
      'views_position',
      'eventstore_end_position',
    ].map((name) => Number(new RegExp(`^pesapost_${name} (.*)$`, 'm').exec(text)?.[1]));
    expect(age).toBeGreaterThanOrEqual(90);
    expect(age).toBeLessThan(3600);
    expect([position, end]).toEqual([1234, Number(log.events.at(-1)?.position)]);
  });
});

describe('views that cannot be trusted', () => {
  it('answer no query before their first build is done', async () => {
    const database = await views({ fresh: false });
    await expect(list(database)).rejects.toThrow('first build');
    await expect(findCredential(database, 'c')).rejects.toThrow('first build');
  });

  it('answer no merchant once they are older than READ_MODEL_MAX_AGE', async () => {
    const database = await views();
    await database.query(
      `update checkpoint set fresh_at = fresh_at - interval '3600001 milliseconds'`,
    );
    const page = { ...of, dateField: 'created_at', limit: 1 } as const;
    await expect(listTransactions(database, page, bound)).rejects.toThrow('READ_MODEL_MAX_AGE');
  });

  it('stop at an event without a rule, and apply nothing of its batch', async () => {
    const database = await views();
    const log = onboarded();
    intend(log, 'A');
    log.append(collectionStream({ ...of, reference: 'A' }), { type: 'PayoutRequested', data: {} });
    await expect(project(database, log.events)).rejects.toThrow(UnprojectableEvent);
    expect(await list(database)).toEqual([]);
  });
});

describe('a batch of payouts', () => {
  const stream = payoutBatchStream({ ...of, reference: 'B-1' });
  const decided = { count: 2, amountMinor: 300n, holder: 'joseph' };
  const bound = { amountMinor: 100n, phoneHmac: 'h' };
  const payout = (reference: string) => payoutStream({ ...of, reference });

  /** A batch of two, of which half is recorded: `p-1` is reserved. */
  function begun(): HandMadeLog {
    const log = onboarded();
    const wallet = { ...of, accountNo: '1001', currency: 'KES', channel: 'mpesa' };
    log.append(stream, {
      type: 'PayoutBatchRequested',
      data: { ...wallet, ...decided, reference: 'B-1', references: ['p-1', 'p-2'], holder: 'asha' },
    });
    for (const [reference, amountMinor] of [
      ['p-1', 100n],
      ['p-2', 200n],
    ] as const) {
      const asked = { ...bound, amountMinor, feeMinor: 2n, phoneMasked: 'm', holder: 'asha' };
      const data = { ...wallet, ...asked, reference, batch: 'B-1' };
      log.append(payout(reference), { type: 'PayoutRequested', data });
    }
    log.append(payout('p-1'), { type: 'PayoutReserved', data: { reservationsRevision: '0' } });
    return log;
  }
  const left = (database: Database) =>
    payoutBatchesToSettle(database, { olderThanMs: -86_400_000_000, limit: 10 });
  const sums = async (database: Database) => {
    const batch = { ...of, reference: 'B-1' };
    const found = await payoutBatchSums(database, batch, { maxAgeMs: 3_600_000 });
    return Object.fromEntries(found.byStatus);
  };

  it('is left to the worker until all its payouts have followed it', async () => {
    const database = await views();
    const log = begun();
    await project(database, log.events);
    expect(await left(database)).toEqual([stream]);
    const next = async (...events: readonly RecordedEvent[]): Promise<readonly string[]> => {
      await project(database, events);
      return left(database);
    };
    const reserved = { type: 'PayoutReserved', data: { reservationsRevision: '1' } };
    expect(await next(...log.append(payout('p-2'), reserved))).toEqual([]);
    const approved = { type: 'PayoutBatchApproved', data: decided };
    expect(await next(...log.append(stream, approved))).toEqual([stream]);
    const behind = { olderThanMs: -86_400_000_000, limit: 10, after: stream };
    expect(await payoutBatchesToSettle(database, behind)).toEqual([]);
    const each = { type: 'PayoutApproved', data: { ...bound, holder: 'joseph' } };
    // A payout approved again after its approval expired names no cause, and does not count.
    expect(await next(...log.append(payout('p-1'), each))).toEqual([stream]);
    log.causationId = 'the batch’s approval';
    expect(await next(...log.append(payout('p-1'), each))).toEqual([stream]);
    expect(await next(...log.append(payout('p-2'), each))).toEqual([]);
    expect(await sums(database)).toEqual({ pending: { count: 2, amountMinor: 300n } });
  });

  it('is left to the worker after a rejection until its payouts follow, and again if one arrives late', async () => {
    const database = await views();
    const log = begun();
    const data = { ...decided, reason: 'reference_taken' };
    log.append(stream, { type: 'PayoutBatchRejected', data });
    await project(database, log.events);
    expect(await left(database)).toEqual([stream]);
    const rejected = { type: 'PayoutRejected', data: { ...bound, reason: 'reference_taken' } };
    for (const reference of ['p-1', 'p-2'])
      await project(database, log.append(payout(reference), rejected));
    expect(await left(database)).toEqual([]);
    expect(await sums(database)).toEqual({ rejected: { count: 2, amountMinor: 300n } });
  });

  it('is left to operators during a review, and to the worker again after their decision', async () => {
    const listed = { type: 'ReviewFlagged', data: { why: 'given_before' } };
    const decision = { decision: 'failed', reason: 'r', proposedBy: 'a', confirmedBy: 'b' };
    const ruled = { type: 'ReviewDecided', data: decision };
    const rejection = { type: 'PayoutBatchRejected', data: { ...decided, reason: 'request_lost' } };
    const rejected = { type: 'PayoutRejected', data: { ...bound, reason: 'request_lost' } };
    const database = await views();
    const log = begun();
    log.append(payout('p-1'), listed);
    await project(database, log.events);
    expect(await left(database)).toEqual([]);
    const next = async (...events: readonly RecordedEvent[]): Promise<readonly string[]> => {
      await project(database, events);
      return left(database);
    };
    // Its process died before the other payout followed the rejection.
    expect(await next(...log.append(stream, rejection))).toEqual([stream]);
    expect(await next(...log.append(payout('p-2'), rejected))).toEqual([]);
    expect(await next(...log.append(payout('p-1'), ruled))).toEqual([stream]);
    expect(await next(...log.append(payout('p-1'), rejected))).toEqual([]);
  });

  it('is a filter of the list, combined with the others', async () => {
    const database = await views();
    const log = begun();
    intend(log, 'A');
    await project(database, log.events);
    const found = async (page: Parameters<typeof list>[1]) =>
      references(await list(database, page));
    expect(await found({ batch: 'B-1' })).toEqual(['p-2', 'p-1']);
    expect(await found({ batch: 'B-1', status: 'rejected' })).toEqual([]);
    expect(
      await found({ batch: 'B-1', type: 'payout', dateField: 'paid_at', from: '2026-01-01' }),
    ).toEqual([]);
    expect(await found({ batch: 'B-1', from: '2026-01-01', limit: 1 })).toEqual(['p-2']);
    expect(await found({ batch: 'B-2' })).toEqual([]);
    expect((await list(database, { batch: 'B-1' }))[0]).toMatchObject({ batch: 'B-1' });
  });

  it('has the same row for any projector batches', async () => {
    const log = begun();
    log.append(stream, { type: 'PayoutBatchApproved', data: decided });
    const [atOnce, oneByOne] = [await views(), await views()];
    await project(atOnce, log.events);
    for (const event of log.events) await project(oneByOne, [event]);
    const rows = (database: Database) => database.query('select b::text from payout_batches b');
    expect(await rows(oneByOne)).toEqual(await rows(atOnce));
  });
});

describe('a rebuild', () => {
  it('gives the same tables for any batches', async () => {
    const log = onboarded();
    for (const reference of ['A', 'B', 'C', 'D']) {
      const stream = intend(log, reference);
      accept(log, stream);
      if (reference !== 'C') pay(log, stream);
    }
    const [atOnce, oneByOne] = [await views(), await views()];
    await project(atOnce, log.events);
    for (const event of log.events) await project(oneByOne, [event]);
    const tables = [
      'transactions',
      'transaction_listings',
      'transaction_days',
      'rail_references',
      'receipts',
      'ledger_entries',
      'balances',
      'ledger_sections',
      'acts',
      'rail_queries',
    ];
    for (const table of tables) {
      const rows = (database: Database): Promise<object[]> =>
        database.query(`select t::text as row from ${table} t order by 1`);
      expect(await rows(oneByOne)).toEqual(await rows(atOnce));
    }
  });
});

describe('a customer', () => {
  it('is found by the digest of the number, the newest payment first', async () => {
    const log = onboarded();
    const [first, second] = [intend(log, 'A'), intend(log, 'B')];
    const database = await views();
    await project(database, log.events);
    expect(await findStreamsByPhone(database, 'h')).toEqual([second, first]);
    expect(await findStreamsByPhone(database, 'h', 1)).toEqual([second]);
    expect(await findStreamsByPhone(database, 'another')).toEqual([]);
  });
});

describe('the directory', () => {
  it('finds an account with its terms, and no account of another merchant or mode', async () => {
    const database = await views();
    await project(database, onboarded().events);
    const directory = new CachedMerchantDirectory(database);
    expect(await directory.findAccount(merchantId, 'demo', '1001')).toEqual({
      ...of,
      accountNo: '1001',
      currency: 'KES',
      feeSchedule: { basisPoints: 150, flatMinor: 5n },
      channels: ['mpesa'],
    });
    expect(await directory.findAccount('m-2', 'demo', '1001')).toBeUndefined();
    expect(await directory.findAccount(merchantId, 'live', '1001')).toBeUndefined();
  });
});
