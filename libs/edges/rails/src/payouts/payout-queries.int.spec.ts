import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { InboxStep } from '../inbox/inbox-step.js';
import { sealPayoutToken } from '../callback/callback-keys.js';
import { RailHarness, untrustedAddress } from '../../../../../test/rail/harness.js';
import { RecordedSealedMessages } from '#records/evidence';
import { sealedMessage } from '#testing';
import {
  approvedPayouts,
  payoutsToSettle,
  payoutsWithoutFloat,
  RecordedPayoutOrders,
} from '#views/payouts';
import { RailWorkOptions } from '../rail-work-options.js';
import { PayoutQueries } from './payout-queries.js';
import { PayoutReviewStep } from './payout-review-step.js';
import { PayoutsClient } from './payouts-client.js';

/** The delays of RAIL_QUERY_DELAYS, without the first. */
const delaysMs = [1, 3, 10, 30, 120, 360, 720, 1440].map((minutes) => minutes * 60_000);

let harness: RailHarness;
let queries: PayoutQueries;
beforeAll(async () => {
  harness = await RailHarness.start();
  queries = harness.app.get(PayoutQueries, { strict: false });
  jest.replaceProperty(
    harness.app.get(RailWorkOptions, { strict: false }),
    'queryDelaysMs',
    delaysMs,
  );
});
afterAll(async () => {
  jest.restoreAllMocks();
  await harness.stop();
});
beforeEach(async () => {
  await harness.database.query('delete from open_payouts');
});

const mpesa = { channel: 'mpesa', mode: 'demo' } as const;

/** Lists a payout that was sent, declined or approved that long ago, as the projector does. */
async function started(
  ageMs: number,
  step: 'started' | 'declined' | 'refused' | 'approved' | 'paid' = 'started',
  channel = 'mpesa',
): Promise<string> {
  const stream = `payout-demo:m1:${randomUUID()}`;
  await harness.database.query(
    `insert into open_payouts (stream, mode, channel, step, since, position, originator_conversation_id)
     values ($1, 'demo', $4, $3, records.now_() - $2 * interval '1 millisecond', 1, 'pp-1')`,
    [stream, ageMs, step, channel],
  );
  return stream;
}

const due = async (isExtra = false) =>
  (await queries.due([mpesa], 10))
    .filter((query) => query.isExtra === isExtra)
    .map(({ stream, asked }) => ({ stream, asked }));
/** Makes the recorded questions older. */
const pass = (ms: number) =>
  harness.database.query(
    `update records.payout_queries set
       due_at = due_at - $1 * interval '1 ms', asked_at = asked_at - $1 * interval '1 ms',
       answered_at = answered_at - $1 * interval '1 ms',
       extra_asked_at = extra_asked_at - $1 * interval '1 ms', extra_until = extra_until - $1 * interval '1 ms'`,
    [ms],
  );
const age = (stream: string, ms: number) =>
  harness.database.query(
    `update open_payouts set since = since - $2 * interval '1 ms' where stream = $1`,
    [stream, ms],
  );
/** Asks all due questions. @returns how many questions of the schedule and how many extra ones there were */
async function ask(): Promise<readonly [number, number]> {
  const counts: [number, number] = [0, 0];
  for (const query of await queries.due([mpesa], 10))
    if (await queries.lease(query)) counts[query.isExtra ? 1 : 0] += 1;
  return counts;
}
const hourMs = 3_600_000;

it('an approved payout is reported as ordered only if the records show its order', async () => {
  const [ordered, called] = [await started(1, 'approved'), await started(1, 'approved')];
  const [asked, reported] = [await started(1, 'approved'), await started(1, 'approved')];
  const { database } = harness;
  const messages = new RecordedSealedMessages(database);
  await messages.keep(sealedMessage({ stream: ordered, kind: 'order_answer' }));
  // Its answer was lost.
  await messages.keep(sealedMessage({ stream: reported, kind: 'result' }));
  await messages.keep(sealedMessage({ stream: called, kind: 'request' }));
  // Anyone who has a callback's address can cause these.
  await queries.askExtra(called);
  await database.query(
    `insert into records.payout_queries (stream, asked, due_at) values ($1, 1, records.now_())`,
    [asked],
  );
  const rail = { mode: 'demo', channel: 'mpesa' } as const;
  const found = await approvedPayouts(database, rail, { after: 0n, limit: 9 });
  expect(new Map(found.map(({ stream, wasOrdered }) => [stream, wasOrdered]))).toEqual(
    new Map([
      [ordered, true],
      [called, false],
      [asked, true],
      [reported, true],
    ]),
  );
  const orders = new RecordedPayoutOrders(database);
  expect(await orders.wereGiven([called, 'payout-demo:m:none'])).toBe(false);
  for (const given of [ordered, asked, reported])
    expect(await orders.wereGiven([called, given])).toBe(true);
});

it('a payout is asked about when the first delay is over, by one worker, and then at the next delay', async () => {
  await started(1000);
  const stream = await started(66_001);
  expect(await due()).toEqual([{ stream, asked: 0 }]);
  const [query] = await queries.due([mpesa], 10);
  if (!query) throw new Error('nothing is due');
  expect(query).toEqual({
    stream,
    mode: 'demo',
    channel: 'mpesa',
    asked: 0,
    isExtra: false,
    isReversal: false,
    originatorConversationId: 'pp-1',
  });
  const leases = await Promise.all([queries.lease(query), queries.lease(query)]);
  expect(leases.filter(Boolean)).toHaveLength(1);
  expect(await due()).toEqual([]);
});

it('due payouts of one rail, however many and however old, do not crowd out those of another', async () => {
  const airtel = { channel: 'airtel', mode: 'demo' } as const;
  for (let each = 0; each < 5; each += 1) await started(hourMs, 'started', 'airtel');
  const streams = [await started(66_002), await started(66_001)];
  const ofMpesa = (found: readonly { readonly channel: string; readonly stream: string }[]) =>
    found.filter(({ channel }) => channel === 'mpesa').map(({ stream }) => stream);
  const all = await queries.due([airtel, mpesa], 4);
  expect(all.map(({ channel }) => channel)).toEqual(['airtel', 'mpesa', 'airtel', 'mpesa']);
  expect(ofMpesa(all)).toEqual(streams);
  // Airtel takes no questions, or this process has no settings for it.
  expect((await queries.due([mpesa], 4)).map(({ stream }) => stream)).toEqual(streams);
  expect(await queries.due([{ channel: 'mpesa', mode: 'live' }], 4)).toEqual([]);
  expect(await queries.due([], 4)).toEqual([]);
});

it('extra questions of one rail, however many, do not crowd out those of another', async () => {
  const airtel = { channel: 'airtel', mode: 'demo' } as const;
  for (let each = 0; each < 5; each += 1)
    await queries.askExtra(await started(1000, 'started', 'airtel'));
  const stream = await started(1000);
  await queries.askExtra(stream);
  const found = await queries.due([airtel, mpesa], 4);
  expect(found.filter(({ channel }) => channel === 'mpesa')).toMatchObject([
    { stream, isExtra: true },
  ]);
});

it('a declined payout is asked about after the others, until the last delay', async () => {
  const declined = await started(66_002, 'declined');
  const stream = await started(66_001);
  expect(await due()).toEqual([
    { stream, asked: 0 },
    { stream: declined, asked: 0 },
  ]);
  await harness.database.query('delete from open_payouts where stream = $1', [stream]);
  let questions = 0;
  // Asks each question at its time, for a day and a half.
  for (let minutes = 0; minutes < 36 * 60; minutes += 10) {
    questions += (await ask())[0];
    await pass(600_000);
    await age(declined, 600_000);
  }
  expect(questions).toBe(delaysMs.length);
});

it('a payout that the rail refused in its answer is asked about after a report, until the last delay', async () => {
  const stream = await started(66_001, 'refused');
  expect(await queries.due([mpesa], 10)).toEqual([]);
  await queries.askExtra(stream);
  expect((await queries.due([mpesa], 10)).map(({ isExtra }) => isExtra)).toEqual([false, true]);
  let [questions, extra] = [0, 0];
  for (let minutes = 0; minutes < 72 * 60; minutes += 10) {
    const asked = await ask();
    questions += asked[0];
    extra += asked[1];
    // One answer that denies the payment proves nothing: the schedule goes on.
    if (extra > 0) await queries.extraAnswered(stream);
    await pass(600_000);
    await age(stream, 600_000);
  }
  expect([questions, extra]).toEqual([delaysMs.length, 1]);
  await age(stream, 30 * 24 * hourMs);
  await queries.askExtra(stream);
  expect(await queries.due([mpesa], 10)).toEqual([]);
});

it('a payout that operators failed when its questions were used up is asked about for as long as the last delay', async () => {
  const stream = await started(0, 'declined');
  await harness.database.query(
    `insert into records.payout_queries (stream, asked, asked_at, due_at)
       values ($1, 10, records.now_() - interval '1 hour', records.now_() + interval '11 hours')`,
    [stream],
  );
  const askedAfterHours: number[] = [];
  for (let minutes = 0; minutes < 72 * 60; minutes += 10) {
    const [asked] = await ask();
    if (asked > 0) askedAfterHours.push(Math.floor(minutes / 60));
    await pass(600_000);
    await age(stream, 600_000);
  }
  expect(askedAfterHours).toEqual([0, 12]);
});

it('a payout that was settled in a history that the log has lost is asked about at the first delay again', async () => {
  const stream = await started(66_001);
  await harness.database.query(
    `insert into records.payout_queries (stream, asked, asked_at, due_at)
       values ($1, 2, records.now_() - interval '1 hour', records.now_() + interval '11 hours')`,
    [stream],
  );
  expect(await due()).toEqual([{ stream, asked: 2 }]);
  expect([await ask(), await ask()]).toEqual([
    [1, 0],
    [0, 0],
  ]);
});

it('a payout’s wait for float starts when it was first missing, and ends once covered or already ordered', async () => {
  const long = await started(50 * hourMs, 'approved');
  const short = await started(50 * hourMs, 'approved');
  const never = await started(50 * hourMs, 'approved');
  for (const [position, [stream, waitedMs]] of [
    [long, 25 * hourMs] as const,
    [short, hourMs] as const,
  ].entries())
    await harness.database.query(
      `insert into transactions (position, stream, merchant_id, mode, type, reference, currency, id, account_no, channel,
         requested_minor, created_at, created_on, status, amount_minor, fee_minor, under_review, waiting_since)
       values ($1, $2, 'm', 'demo', 'payout', $2, 'KES', gen_random_uuid(), '1', 'mpesa', 1, records.now_(),
         current_date, 'pending', 1, 0, false, records.now_() - $3 * interval '1 millisecond')`,
      [position, stream, waitedMs],
    );
  const found = await payoutsWithoutFloat(harness.database, {
    forMs: 24 * hourMs,
    limit: 10,
    after: 0n,
  });
  const taken = async (floatMinor?: bigint) => {
    const look = { after: 0n, limit: 10, floatMinor };
    const approved = await approvedPayouts(
      harness.database,
      { mode: 'demo', channel: 'mpesa' },
      look,
    );
    return approved.map(({ stream }) => stream).sort();
  };
  expect(await taken(0n)).toEqual([never]);
  expect(await taken(1n)).toEqual([long, short, never].sort());
  expect(await taken()).toEqual([never]);
  await harness.database.query(
    `insert into records.payout_queries (stream, asked, due_at) values ($1, 1, records.now_())`,
    [short],
  );
  expect(await taken(0n)).toEqual([short, never].sort());
  await harness.database.query('delete from transactions');
  expect(found.map(({ stream }) => stream)).toEqual([long]);
});

it('payouts that lack a step are listed page by page', async () => {
  const streams = [await started(60_000, 'paid'), await started(90_000, 'paid')].sort();
  await started(1000, 'paid');
  const { database } = harness;
  await database.query(
    `insert into transactions (position, stream, merchant_id, mode, type, reference, currency, id, account_no, channel,
       requested_minor, created_at, created_on, status, amount_minor, fee_minor, under_review)
     select row_number() over (), stream, 'm', mode, 'payout', stream, 'KES', gen_random_uuid(), '1', channel, 1,
       records.now_(), current_date, 'failed', 1, 0, false from open_payouts`,
  );
  // The payout is paid, and the amount that its decline releases is reserved as well. It must be listed once.
  await database.query(
    `insert into open_reservations (source, stream, amount_minor, reserved_at, position)
       values ($1, 'r', 1, records.now_() - interval '1 min', 1), ($1 || '~late', 'r', 1, records.now_() - interval '1 min', 2)`,
    [streams[0]],
  );
  const page = (after?: string) =>
    payoutsToSettle(database, { olderThanMs: 30_000, limit: 1, ...(after && { after }) });
  const found = [await page(), await page(streams[0]), await page(streams[1])];
  await database.query('delete from transactions');
  await database.query('delete from open_reservations');
  expect(found).toEqual([[streams[0]], [streams[1]], []]);
});

it('a question that was not put is due again in seconds, under its old number', async () => {
  const stream = await started(66_001);
  const [query] = await queries.due([mpesa], 10);
  if (!query) throw new Error('nothing is due');
  await queries.lease(query);
  await queries.giveBack(query);
  expect(await due()).toEqual([]);
  await harness.database.query(`update records.payout_queries set due_at = records.now_()`);
  expect(await due()).toEqual([{ stream, asked: 0 }]);
});

it('a report from an untrusted sender makes an extra question due at once; the schedule is unchanged', async () => {
  const stream = await started(1000);
  const body = `{"Result":{"ResultCode":0,"OriginatorConversationID":"pp-1"}}`;
  const token = sealPayoutToken(harness.keyring, { channel: 'mpesa', stream }, 'timeout');
  expect((await harness.post(token, body, untrustedAddress))[0]).toBe(200);
  expect(await due(true)).toEqual([]);
  await harness.app.get(InboxStep, { strict: false }).step();
  expect(await harness.inboxOf(stream)).toMatchObject([{ applied: true, outcome: 'query_due' }]);
  expect(await due(true)).toEqual([{ stream, asked: 0 }]);
  expect(await due()).toEqual([]);
  const [query] = await queries.due([mpesa], 10);
  if (!query) throw new Error('nothing is due');
  const leases = await Promise.all([queries.lease(query), queries.lease(query)]);
  expect(leases.filter(Boolean)).toHaveLength(1);
  await queries.askExtra(stream);
  expect(await due(true)).toEqual([]);
  await pass(66_000);
  await age(stream, 66_000);
  expect(await due()).toEqual([{ stream, asked: 0 }]);
});

it.each(['started', 'declined'] as const)(
  'an untrusted sender that never stops uses up no scheduled question of a payout that is %s, and few extra ones',
  async (step) => {
    const stream = await started(0, step);
    const counts = [0, 0];
    for (let minutes = 0; minutes < 25 * 60; minutes += 10) {
      await queries.askExtra(stream);
      const asked = await ask();
      counts.forEach((_, kind) => (counts[kind] = (counts[kind] ?? 0) + (asked[kind] ?? 0)));
      await pass(600_000);
      await age(stream, 600_000);
    }
    expect(counts[0]).toBe(delaysMs.length);
    expect(counts[1]).toBeGreaterThan(5);
    expect(counts[1]).toBeLessThan(20);
  },
);

it('a late report after a payout’s last question leads to extra questions until one is answered', async () => {
  const stream = await started(20 * 24 * hourMs, 'declined');
  expect(await due()).toEqual([]);
  await queries.askExtra(stream);
  expect(await ask()).toEqual([0, 1]);
  expect(await ask()).toEqual([0, 0]);
  // Its answer was lost.
  await pass(10_001);
  expect(await ask()).toEqual([0, 1]);
  await queries.extraAnswered(stream);
  await pass(hourMs);
  expect(await ask()).toEqual([0, 0]);
  await queries.askExtra(stream);
  expect(await ask()).toEqual([0, 1]);
  await pass(hourMs);
  await age(stream, 10 * 24 * hourMs);
  expect(await ask()).toEqual([0, 0]);
});

it.each([
  ['result', false],
  ['answer:1:00000000-0000-4000-8000-000000000001', true],
])('a report at the address for %s from anywhere is trusted: %s', async (purpose, trusted) => {
  const stream = await started(1000);
  const token = sealPayoutToken(harness.keyring, { channel: 'mpesa', stream }, purpose);
  const parameters = [
    { Key: 'OriginatorConversationID', Value: 'pp-1' },
    { Key: 'TransactionStatus', Value: 'Failed' },
  ];
  const body = JSON.stringify({
    Result: {
      ResultCode: purpose === 'result' ? 8 : 0,
      OriginatorConversationID: 'pp-1',
      ResultParameters: { ResultParameter: parameters },
    },
  });
  expect((await harness.post(token, body, untrustedAddress))[0]).toBe(200);
  expect(await harness.inboxOf(stream)).toMatchObject([{ trusted, applied: false }]);
  expect(await harness.post(token, '{}')).toEqual([200, expect.anything()]);
  expect(await harness.inboxOf(stream)).toHaveLength(1);
});

it('answers are kept by the question’s number: an older one changes nothing', async () => {
  const stream = await started(66_001);
  await ask();
  await queries.note(stream, { attempt: 2, answer: 'declined:x' });
  await queries.note(stream, { attempt: 1, answer: 'unresolved' });
  await pass(hourMs);
  expect(await queries.answerBefore(stream, 2)).toBeUndefined();
  expect(await queries.answerBefore(stream, 3)).toBe('declined:x');
});

it('an answer is repeated only by the next question’s answer, not by one that comes at the same time', async () => {
  const stream = await started(66_001);
  await ask();
  await queries.note(stream, { attempt: 1, answer: 'declined:x' });
  await pass(59_000);
  expect(await queries.answerBefore(stream, 2)).toBeUndefined();
  await pass(1001);
  expect(await queries.answerBefore(stream, 2)).toBe('declined:x');
  // The second was never answered.
  expect(await queries.answerBefore(stream, 3)).toBeUndefined();
  await harness.database.query('update records.payout_queries set answered_at = null');
  expect(await queries.answerBefore(stream, 2)).toBe('declined:x');
});

it('a settled payout that the view still lists is asked about only at the last gap', async () => {
  const stream = await started(66_001);
  await queries.askExtra(stream);
  expect(await ask()).toEqual([1, 1]);
  await queries.settled(stream);
  expect(await ask()).toEqual([0, 0]);
  await age(stream, 11 * hourMs);
  await pass(11 * hourMs);
  expect(await ask()).toEqual([0, 0]);
  await age(stream, hourMs);
  await pass(hourMs);
  expect(await ask()).toEqual([1, 0]);
});

it('a payout is listed for review only after a question of the last gap, which is asked if there was none', async () => {
  const flag = jest
    .spyOn(harness.app.get(PayoutsClient, { strict: false }), 'flag')
    .mockResolvedValue({ ok: true, value: 'unchanged' });
  const reviews = harness.app.get(PayoutReviewStep, { strict: false });
  const isListed = async (): Promise<boolean> => {
    flag.mockClear();
    await reviews.step();
    return flag.mock.calls.length > 0;
  };
  const stream = await started(49 * hourMs);
  const [query] = await queries.due([mpesa], 1);
  if (!query) throw new Error('nothing is due');
  expect(await isListed()).toBe(false);
  expect((await due(true)).map((extra) => extra.stream)).toEqual([stream]);
  // The rail took no question.
  await queries.lease(query);
  await queries.giveBack(query);
  await pass(120_000);
  expect(await isListed()).toBe(false);
  // First its answer may be under way; then it should have arrived; and finally it is too old.
  await queries.lease(query);
  expect(await isListed()).toBe(false);
  await pass(120_000);
  expect(await isListed()).toBe(true);
  await pass(13 * hourMs);
  expect(await isListed()).toBe(false);
  const [extra] = (await queries.due([mpesa], 10)).filter(({ isExtra }) => isExtra);
  if (!extra) throw new Error('no extra question is due');
  await queries.lease(extra);
  await pass(120_000);
  expect(await isListed()).toBe(false);
  await queries.extraAnswered(stream);
  expect(await isListed()).toBe(true);
  await pass(13 * hourMs);
  await age(stream, 24 * hourMs);
  expect(await isListed()).toBe(true);
  flag.mockRestore();
});
