import {
  History,
  LogWithFaults,
  payByQuery,
  type PayoutStep,
  ReadOnlyLog,
  type ThrowAwayDatabase,
  throwAwayDatabase,
} from '#testing';
import { type RecordedEvent } from '#domain/event-sourcing';
import { type Instant, instantFromMs } from '#domain/kernel';
import { type Leg, type ReservationEvent, reservationEventTypes } from '#domain/ledger';
import { type Balance, findBalance, findBalanceAsOf, positionBefore } from '#views/balances';
import { noteFresh } from '#views/view-set';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { listTransactionsAsOf } from './as-of.js';
import { type TransactionItem } from './fields.js';
import { type ItemEvent, transactionFrom } from './item.js';
import { type TransactionsPage } from './page-parts.js';
import { listTransactions, type ListedTransactions } from './query.js';

let server: ThrowAwayDatabase;
beforeAll(async () => {
  server = await throwAwayDatabase();
});
afterAll(() => server.drop());

const of = { merchantId: 'm-1', mode: 'demo' } as const;
const account = { ...of, accountNo: '1001' };
const anyAge = { maxAgeMs: Number.POSITIVE_INFINITY };

const payouts = [
  ['request', 'approve', 'start', 'pay'],
  ['request', 'reject'],
  ['request', 'approve', 'start', 'decline', 'pay late'],
  ['request'],
  ['request', 'approve', 'wait for float'],
] as const satisfies readonly (readonly PayoutStep[])[];
const steps = fc.record({
  kind: fc.constantFrom(
    ...(['intend', 'accept', 'pay', 'decline', 'suspend', 'flag', 'payout', 'batch'] as const),
    // These are frequent, since only they change times of payment.
    ...(['paid by query', 'paid by query', 'receipt', 'receipt', 'receipt'] as const),
  ),
  which: fc.nat(6),
  /** Hours that pass before the step. */
  hours: fc.constantFrom(0, 0, 5, 20),
});
type Step = typeof steps extends fc.Arbitrary<infer S> ? S : never;

/** Does the step if it is possible: money is posted once, and only a payment has a receipt. */
async function take(history: History, { kind, which, hours }: Step, streams: string[]) {
  history.log.wait(hours * 3_600_000);
  const stream = streams[which % Math.max(1, streams.length)] ?? '';
  const isPosted = history.log.events.some(
    (event) => event.stream === stream && 'legs' in event.data,
  );
  const name = String(history.log.events.length);
  if (kind === 'intend') streams.push(await history.intend(`R${name}`));
  else if (kind === 'paid by query') {
    const paid = await history.intend(`R${name}`);
    streams.push(paid);
    payByQuery(history.log, paid);
  } else if (kind === 'payout')
    history.payOut(`P${name}`, ...(payouts[which % payouts.length] ?? []));
  else if (kind === 'batch') history.payOutBatch(`B${name}`, 'approve', 'start');
  else if (stream === '') return;
  else if (kind === 'accept' || kind === 'flag') history[kind](stream);
  else if (kind === 'receipt' && isPosted) history.append(stream, receiptOf(history, which));
  else if (!isPosted && kind !== 'receipt') history[kind](stream);
}

/** The rail reports the receipt of a payment whose time was unknown or different. */
function receiptOf({ log }: History, which: number) {
  const last = Date.parse(log.events.at(-1)?.recordedAt ?? '');
  const paidAt: Instant = instantFromMs(last - which * 9 * 3_600_000);
  return {
    type: 'RailReceiptRecorded',
    data: { receipt: `Q${log.events.length}`, amountMinor: 10_000n, paidAt },
  } as const;
}

type Filters = Omit<TransactionsPage, 'merchantId' | 'mode' | 'limit' | 'before'>;
const day = (offset: number): string =>
  new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
const days = fc.constantFrom({}, { from: day(0), to: day(1) }, { from: day(2) }, { to: day(1) });
const filters: fc.Arbitrary<Filters> = fc
  .record({
    dateField: fc.constantFrom('created_at', 'completed_at', 'paid_at', 'paid_at'),
    days,
    more: fc.record(
      {
        type: fc.constantFrom('collection', 'payout'),
        status: fc.constantFrom('pending', 'completed', 'failed', 'pending_approval', 'rejected'),
        attention: fc.constant(true),
        accountNo: fc.constantFrom('1001', '1001', '1009'),
      },
      { requiredKeys: [] },
    ),
  })
  .map(({ dateField, days: range, more }) => ({ dateField, ...range, ...more }));

/** Reads every page, one after the other. */
async function whole(
  pageOf: (page: Pick<TransactionsPage, 'before'>) => Promise<ListedTransactions>,
): Promise<readonly TransactionItem[]> {
  const items: TransactionItem[] = [];
  for (let before: bigint | undefined; ;) {
    const page = await pageOf(before === undefined ? {} : { before });
    items.push(...page.items);
    if (page.next === undefined) return items;
    before = page.next;
  }
}

/** The state by the log itself, up to a position. */
function folded(events: readonly RecordedEvent[], position: bigint) {
  const until = events.filter((event) => event.position <= position);
  const streams = new Set(
    until.map(({ stream }) => stream).filter((s) => s.includes(':m-1:') && !s.includes(':batch~')),
  );
  const items = [...streams].flatMap(
    (stream) =>
      transactionFrom(
        until.filter(
          (event) => event.stream === stream && !event.stream.startsWith('reservations-'),
        ) as RecordedEvent<ItemEvent>[],
      ) ?? [],
  );
  const legs = until.flatMap(({ data }) => ('legs' in data ? (data.legs as readonly Leg[]) : []));
  const posted = legs
    .filter(({ account: of }) => of === 'wallet:1001')
    .reduce((sum, { amountMinor }) => sum + amountMinor, 0n);
  const reserved = until.findLast(({ type }) => type in reservationEventTypes) as
    RecordedEvent<ReservationEvent> | undefined;
  const debits = legs
    .filter(({ account: of, amountMinor }) => of === 'wallet:1001' && amountMinor < 0n)
    .reduce((sum, { amountMinor }) => sum - amountMinor, 0n);
  return {
    items: items.toReversed(),
    balance: {
      postedMinor: posted,
      reservedMinor: (reserved?.data.totalMinor ?? 0n) - debits,
    },
  };
}

it('list, totals and balance at any position match the log’s prefix and the views at that point', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(steps, { minLength: 4, maxLength: 22 }),
      fc.array(filters, { minLength: 1, maxLength: 3 }),
      fc.record({ batch: fc.integer({ min: 1, max: 6 }), limit: fc.integer({ min: 1, max: 5 }) }),
      async (taken, asked, { batch, limit }) => {
        const history = await History.begin(server);
        const { database, log } = history;
        try {
          const streams: string[] = [];
          for (const step of taken) await take(history, step, streams);
          const all: Filters = { dateField: 'created_at' };
          const pages = [all, ...asked].map((filter) => ({ ...of, ...filter, limit }));
          const said: { position: bigint; lists: unknown[]; balance: Balance | undefined }[] = [];
          while (!history.isProjected) {
            const position = await history.projectSome(batch);
            await noteFresh(database, position, new Date());
            const lists: unknown[] = [];
            for (const page of pages)
              lists.push(
                await whole((more) => listTransactions(database, { ...page, ...more }, anyAge)),
              );
            said.push({
              position,
              lists,
              balance: await findBalance(database, account, anyAge),
            });
          }
          const store = new ReadOnlyLog(log);
          const past = { database, store, work: { maxStreams: 5, maxWalked: 7 } };
          for (const { position, lists, balance } of said) {
            const then = folded(log.events, position);
            for (const [index, page] of pages.entries()) {
              const found = await whole((more) =>
                listTransactionsAsOf(past, { ...page, ...more }, position, anyAge),
              );
              expect([page, position, found]).toEqual([page, position, lists[index]]);
              if (index === 0) expect(found).toEqual(then.items);
            }
            // A number between two events means the first of them.
            for (const at of [position, position + 1n]) {
              if (at > (log.events.at(-1)?.position ?? 0n)) continue;
              const now = await findBalanceAsOf(past, account, at, anyAge);
              const { position: _position, asOf: _asOf, ...figures } = balance ?? {};
              if (balance) expect(now).toMatchObject({ ...figures, ...then.balance });
              else expect(now).toBeUndefined();
            }
          }
          await history.verify().then(({ named }) => {
            expect(named).toEqual([]);
          });
        } finally {
          await database.close();
        }
      },
    ),
    { numRuns: 15 },
  );
}, 1_200_000);

it('a time maps to the last position before the first event at or after it', async () => {
  const history = await History.begin(server);
  const { database, log } = history;
  try {
    for (let index = 0; index < 40; index += 1) {
      log.wait(3_600_000);
      const stream = await history.intend(`T${index}`);
      if (index % 3 === 0) history.accept(stream);
    }
    await history.project();
    const store = new ReadOnlyLog(log);
    for (const [index, { recordedAt, position }] of log.events.entries()) {
      const before = log.events.findLast((event) => event.recordedAt < recordedAt);
      const time = new Date(recordedAt);
      expect([index, await positionBefore({ database, store }, time)]).toEqual([
        index,
        before?.position ?? 0n,
      ]);
      const last = log.events.findLast((event) => event.recordedAt === recordedAt);
      if (last?.position === position)
        expect(await positionBefore({ database, store }, new Date(time.getTime() + 1))).toBe(
          position,
        );
    }
  } finally {
    await database.close();
  }
});

it('a time maps to the same position even if an event at that time cannot be read', async () => {
  const history = await History.begin(server);
  const { database, log } = history;
  try {
    for (let index = 0; index < 10; index += 1) {
      const stream = await history.intend(`U${index}`);
      log.wait(3_600_000);
      history.accept(stream);
      log.wait(3_600_000);
    }
    await history.project();
    const store = new LogWithFaults(log);
    for (const { type, position } of log.events)
      if (type === 'RailPushAccepted') store.unreadable.add(position);
    for (const [index, { recordedAt }] of log.events.entries()) {
      const before = log.events.findLast((event) => event.recordedAt < recordedAt);
      expect([index, await positionBefore({ database, store }, new Date(recordedAt))]).toEqual([
        index,
        before?.position ?? 0n,
      ]);
    }
  } finally {
    await database.close();
  }
});

it('a payment with a later reported time is on its first day before the report, and moves after it', async () => {
  const history = await History.begin(server);
  const { database, log } = history;
  try {
    const stream = await history.intend('MOVED');
    payByQuery(log, stream);
    const paidOn = log.events.at(-1)?.position ?? 0n;
    const told = Date.parse(log.events.at(-1)?.recordedAt ?? '') - 5 * 86_400_000;
    const data = { receipt: 'Q1', amountMinor: 10_000n, paidAt: instantFromMs(told) };
    history.append(stream, { type: 'RailReceiptRecorded', data });
    await history.project();
    const movedOn = log.events.at(-1)?.position ?? 0n;
    await noteFresh(database, movedOn, new Date());
    const past = { database, store: new ReadOnlyLog(log) };
    const on = async (from: string, to: string, position: bigint) => {
      const page = {
        ...of,
        dateField: 'paid_at',
        status: 'completed',
        from,
        to,
        limit: 9,
      } as const;
      return (await listTransactionsAsOf(past, page, position, anyAge)).items.length;
    };
    const [first, other] = [[day(-1), day(1)] as const, [day(-7), day(-4)] as const];
    expect([await on(...first, paidOn), await on(...other, paidOn)]).toEqual([1, 0]);
    expect([await on(...first, movedOn), await on(...other, movedOn)]).toEqual([0, 1]);
    // Clients that mean any day send these.
    const always = ['0001-01-01', '9999-12-31'] as const;
    expect([await on(...always, paidOn), await on(...always, movedOn)]).toEqual([1, 1]);
    expect(await history.verify()).toMatchObject({ differences: 0 });
    await history.tamper(`update transactions set paid_before = 'x' || paid_before`);
    const { named } = await history.verify();
    expect(named.map(({ field }) => field)).toContain('paid_before');
  } finally {
    await database.close();
  }
});
