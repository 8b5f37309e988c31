import { type Instant } from '#domain/kernel';
import { type DueDay, type PaymentListRail, type UnmatchedPayment } from '#edges/rails';
import { type CorrectionEvent, correctionStream } from '#domain/corrections';
import {
  HandMadeLog,
  intend,
  onboarded,
  pay,
  payByQuery,
  throwAwayDatabase,
  type ThrowAwayDatabase,
} from '#testing';
import { applyBatch } from '#views/projection';
import { createViews, viewSchema } from '#views/view-set';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { listUnmatchedPayments, waitingListedPayments } from '#records/rails';
import { RecordedTakenDays } from './taken-days.js';

let own: ThrowAwayDatabase;
let days: RecordedTakenDays;
const hour = 3_600_000;
/** Each test has a rail of its own. */
const rail = (channel: string): PaymentListRail => ({
  channel,
  mode: 'demo',
  lookBackMs: 48 * hour,
  timezone: 'Africa/Nairobi',
});

beforeAll(async () => {
  own = await throwAwayDatabase({ searchPath: [viewSchema()] });
  await createViews(own.database, viewSchema());
  days = new RecordedTakenDays(own.database);
});
afterAll(() => own.drop());

/** The next day to ask about. The lease is ended, as if its worker had died minutes ago. */
async function next(of: PaymentListRail) {
  await own.database.query(
    `update records.taken_days set next_attempt_at = records.now_() where channel = $1 and next_attempt_at is not null`,
    [of.channel],
  );
  return (await days.due([of])).day;
}
const payment = (receipt: string, of: Partial<UnmatchedPayment> = {}): UnmatchedPayment => ({
  receipt,
  amountMinor: 25_000n,
  paidAt: '2026-11-20T10:13:00.000Z' as Instant,
  code: 'CODE00000001',
  party: '2547*****000',
  why: 'nobody_asked',
  ...of,
});

it('begins with what the rail still remembers, and asks for each page up to yesterday once', async () => {
  const pigeon = rail('pigeon');
  const seen: string[] = [];
  for (;;) {
    const day = await next(pigeon);
    if (!day) break;
    seen.push(day.day);
    expect(day.untilMs).toBeLessThanOrEqual(Date.now());
    expect(day.fromMs).toBeGreaterThan(Date.now() - 48 * hour);
    expect(day.offset).toBe(0);
    await days.asked(day, { payments: 2, unmatched: [], next: 2 });
    const again = await next(pigeon);
    expect(again).toMatchObject({ day: day.day, offset: 2, attempt: 1 });
    if (again) await days.asked(again, { payments: 0, unmatched: [], next: undefined });
  }
  expect(seen.length).toBeGreaterThanOrEqual(1);
  expect(seen.length).toBeLessThanOrEqual(2);
  expect(seen).toEqual(seen.toSorted());
});

it('a day that the rail is forgetting is read from one beginning, and anew if that is forgotten', async () => {
  const crane = { ...rail('crane'), lookBackMs: 12 * hour };
  const at = (hours: number) => `records.now_() + interval '${hours} hours'`;
  await own.database.query(
    `insert into records.taken_days (channel, mode, day, from_at, until_at)
       values ('crane', 'demo', records.now_()::date - 1, ${at(-30)}, ${at(-6)})`,
  );
  const first = await next(crane);
  expect(first?.fromMs).toBeGreaterThan(Date.now() - 12 * hour);
  if (!first) throw new Error('nothing is due');
  expect(first.isForgottenSoon).toBe(true);
  await days.asked(first, { payments: 2, unmatched: [], next: 2 });
  const second = await next(crane);
  expect(second).toMatchObject({ day: first.day, offset: 2, fromMs: first.fromMs });
  // Three hours later, the rail has forgotten the beginning of the day.
  const later = await next({ ...crane, lookBackMs: 9 * hour });
  expect(later).toMatchObject({ day: first.day, offset: 0 });
  expect(later?.fromMs).toBeGreaterThan(first.fromMs + 2 * hour);
});

it('a day that the rail forgets within hours is marked as such, and no other day is', async () => {
  const ibis = rail('ibis');
  for (const [hoursAgo, isForgottenSoon] of [
    [45, false],
    [47, true],
  ] as const) {
    await own.database.query(`delete from records.taken_days where channel = 'ibis'`);
    await own.database.query(
      `insert into records.taken_days (channel, mode, day, from_at, until_at)
       select 'ibis', 'demo', (records.now_() at time zone 'Africa/Nairobi')::date - 1, at, at + interval '24 hours'
       from (select records.now_() - interval '${hoursAgo} hours' as at) began`,
    );
    expect(await next(ibis)).toMatchObject({ isForgottenSoon });
  }
});

it('two workers ask for different days, and a postponed day waits', async () => {
  const owl = rail('owl');
  const [one, other] = [await days.due([owl]), await days.due([owl])];
  expect(one.day?.day).not.toBe(other.day?.day);
  const day = await next(owl);
  if (!day) throw new Error('nothing is due');
  await days.putOff(day, hour);
  const { day: waiting } = await days.due([owl]);
  expect(waiting?.day).not.toBe(day.day);
});

it('a day that was not asked for in time is missed, and reported once', async () => {
  const dodo = rail('dodo');
  await own.database.query(
    `insert into records.taken_days (channel, mode, day, from_at, until_at, finished_at, outcome)
     select 'dodo', 'demo', d, d, d + 1, records.now_(), 'asked' from (select records.now_()::date - 9 as d) days`,
  );
  const { ended } = await days.due([dodo]);
  expect(ended.length).toBeGreaterThanOrEqual(5);
  expect(new Set(ended.map(({ outcome }) => outcome))).toEqual(new Set(['missed']));
  expect((await days.due([dodo])).ended).toEqual([]);
});

it('a day for which the rail named no payment is untold if the ledger has none, else missed', async () => {
  const built = (at: string) => own.database.query(`update checkpoint set fresh_at = ${at}`);
  const forgotten = (channel: string) =>
    own.database.query(
      `insert into records.taken_days (channel, mode, day, from_at, until_at, nothing_told_at)
       select $1, 'demo', d, d, d + 1, d + 1 from (select records.now_()::date - 9 as d) days`,
      [channel],
    );
  const endOf = async (channel: string): Promise<string | undefined> => {
    await forgotten(channel);
    const { ended } = await days.due([rail(channel)]);
    return ended.toSorted((one, other) => (one.day < other.day ? -1 : 1))[0]?.outcome;
  };
  // Views that do not contain that day cannot show that there was no money.
  await built('null');
  expect(await endOf('auk')).toBe('missed');
  await built('records.now_()');
  expect(await endOf('jay')).toBe('untold');
  await own.database.query(
    `insert into transactions (position, stream, merchant_id, mode, type, reference, currency, id, account_no, channel,
       requested_minor, created_at, created_on, status, amount_minor, fee_minor, under_review, posted_at)
     select 900, 'held', 'm-9', 'demo', 'collection', 'held', 'KES', gen_random_uuid(), '1', 'tit', 1, at, at, 'completed', 1, 0,
       false, at from (select records.now_()::date - 9 + interval '9 hours' as at) t`,
  );
  await own.database.query(
    `insert into transaction_days select 'm-9', 'demo', records.now_()::date - 9, 900, 900`,
  );
  expect(await endOf('tit')).toBe('missed');
  const [row] = await own.database.query<{ day: string }>(
    `select (records.now_()::date - 9)::text as day`,
  );
  const day = { channel: 'tit', mode: 'demo', day: row?.day ?? '' } as DueDay;
  expect(await days.holdsMoney(day)).toBe(true);
  expect(await days.holdsMoney({ ...day, channel: 'jay' })).toBe(false);
});

it('an untold day counts as told only for a rail that reported payments lately', async () => {
  const ended = (channel: string, outcome: string, daysAgo: number, payments = 0) =>
    own.database.query(
      `insert into records.taken_days (channel, mode, day, from_at, until_at, payments, finished_at, outcome)
       select $1, 'demo', d, d, d + 1, $4, d, $2 from (select records.now_()::date - $3::int as d) days`,
      [channel, outcome, daysAgo, payments],
    );
  const ageHours = async (channel: string) =>
    (await waitingListedPayments(own.database, [rail(channel)])).ageSeconds / 3600;
  await ended('coot', 'asked', 3, 5);
  for (const channel of ['coot', 'rook'])
    for (const ago of [2, 1]) await ended(channel, 'untold', ago);
  expect(await ageHours('coot')).toBeLessThanOrEqual(24);
  expect(await ageHours('rook')).toBeGreaterThan(36);
});

it('a page that is handled twice, after a crash, is counted and stored once', async () => {
  const kiwi = rail('kiwi');
  const day = await next(kiwi);
  if (!day) throw new Error('nothing is due');
  const found = { payments: 1, unmatched: [payment('KIWI000001')], next: 1 };
  await days.asked(day, found);
  await days.asked(day, found);
  const [row] = await own.database.query<{ payments: number; next_offset: number }>(
    `select payments, next_offset from records.taken_days where channel = 'kiwi' and day = $1::date`,
    [day.day],
  );
  expect(row).toEqual({ payments: 1, next_offset: 1 });
});

it('a payment that was found is listed until the ledger has its receipt', async () => {
  const emu = rail('emu');
  const day = await next(emu);
  if (!day) throw new Error('nothing is due');
  const stream = 'collection-demo:m-1:EMU';
  const unmatched = [
    payment('EMU0000001', { stream, why: 'not_settled' }),
    payment('EMU0000002', { amountMinor: 7n }),
  ];
  await days.asked(day, { payments: 2, unmatched, next: undefined });
  const listed = async (): Promise<readonly string[]> =>
    (await listUnmatchedPayments(own.database, { mode: 'demo', limit: 50 }))
      .map(({ receipt }) => receipt)
      .filter((receipt) => receipt.startsWith('EMU'));
  expect(await listed()).toEqual(['EMU0000001', 'EMU0000002']);
  expect(await listUnmatchedPayments(own.database, { mode: 'live', limit: 50 })).toEqual([]);
  await own.database.query(
    `insert into corrections (stream, id, merchant_id, mode, currency, legs, why, receipt, may_overdraw, proposed_by, proposed_at, position, confirmed_by, posted_at)
     values ('correction-demo:1', '1', 'm-1', 'demo', 'KES', '{}', 'w', 'EMU0000002', false, 'a', now(), 1, 'b', now())`,
  );
  expect(await listed()).toEqual(['EMU0000001']);
});

it('a posting without a receipt accounts for one payment of its amount, and each other stays listed', async () => {
  const ibis = rail('ibis');
  const day = await next(ibis);
  if (!day) throw new Error('nothing is due');
  const log = onboarded(new HandMadeLog());
  const [twice, more, open] = ['twice', 'more', 'open'].map((reference) => intend(log, reference));
  const at = '2026-11-20T10:14:00.000Z' as Instant;
  const found = (receipt: string, of: Partial<UnmatchedPayment>) =>
    payment(`IBIS00000${receipt}`, { why: 'not_settled', ...of });
  await days.asked(day, {
    payments: 5,
    next: undefined,
    unmatched: [
      found('1', { amountMinor: 10_000n, stream: twice ?? '' }),
      found('2', { amountMinor: 10_000n, stream: twice ?? '', paidAt: at }),
      found('3', { amountMinor: 10_100n, stream: more ?? '' }),
      found('4', { amountMinor: 10_100n, stream: more ?? '', paidAt: at }),
      found('5', { amountMinor: 10_000n, stream: open ?? '' }),
    ],
  });
  const apply = async () => {
    const events = log.events.splice(0);
    await own.database.transaction((transaction) => applyBatch(transaction, events));
  };
  const listed = async () =>
    (await listUnmatchedPayments(own.database, { mode: 'demo', limit: 50 }))
      .filter(({ receipt }) => receipt.startsWith('IBIS'))
      .map(({ receipt, holds }) => `${receipt.slice(-1)} ${holds}`);
  const waiting = async () => (await waitingListedPayments(own.database, [])).payments;
  await apply();
  await own.database.query('update checkpoint set fresh_at = now()');
  await own.database.query(`update transactions set under_review = true where stream = $1`, [open]);
  const before = await waiting();
  expect(await listed()).toEqual(['1', '3', '5', '2', '4'].map((each) => `${each} nothing`));
  for (const stream of [twice, more]) payByQuery(log, stream ?? '');
  await apply();
  expect(await listed()).toEqual([
    '3 another_amount',
    '5 nothing',
    '2 another_payment',
    '4 another_amount',
  ]);
  // No person looked at them: the answer to the query ended their review.
  expect((await waiting()) - before).toBe(3);
  const legs = [
    { account: 'wallet:1001', amountMinor: 100n },
    { account: 'rail-clearing:mpesa', amountMinor: -100n },
  ] as const;
  const terms = { merchantId: 'm-1', mode: 'demo', currency: 'KES', why: 'spec' } as const;
  const proposed = { ...terms, legs, corrects: more ?? '', proposedBy: 'asha' };
  log.append<CorrectionEvent>(
    correctionStream({ mode: 'demo', id: '0199c1f0-0000-7000-8000-000000000001' }),
    { type: 'CorrectionProposed', data: proposed },
    { type: 'CorrectionPosted', data: { ...proposed, confirmedBy: 'joseph' } },
  );
  await apply();
  expect(await listed()).toEqual(['5 nothing', '2 another_payment', '4 another_payment']);
  // A callback about another payment also ends the review.
  pay(log, open ?? '', { under: 'IBISOTHER1' });
  await apply();
  expect(await listed()).toEqual(['5 another_payment', '2 another_payment', '4 another_payment']);
  expect((await waiting()) - before).toBe(2);
});

it('stores once what another question found, and asks for no day because of it', async () => {
  const swan = rail('swan');
  const day = { channel: 'swan', mode: 'demo', day: '2026-11-20' } as const;
  await days.keep(day, [payment('TKN2B1KSW1')]);
  await days.keep(day, [payment('TKN2B1KSW1', { why: 'not_settled' }), payment('TKN2B1KSW2')]);
  await days.keep(day, []);
  const kept = await listUnmatchedPayments(own.database, { limit: 1000 });
  expect(
    kept.filter(({ channel }) => channel === 'swan').map(({ receipt, why }) => [receipt, why]),
  ).toEqual([
    ['TKN2B1KSW1', 'nobody_asked'],
    ['TKN2B1KSW2', 'nobody_asked'],
  ]);
  const { rows } = await countedDays(swan.channel);
  expect(rows).toBe(0);
});

async function countedDays(channel: string): Promise<{ readonly rows: number }> {
  const [counted] = await own.database.query<{ rows: number }>(
    'select count(*)::int as rows from records.taken_days where channel = $1',
    [channel],
  );
  return counted ?? { rows: -1 };
}
