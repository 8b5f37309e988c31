import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { InboxStep } from '../inbox/inbox-step.js';
import { sealPayoutToken } from '../callback/callback-keys.js';
import { RailHarness, untrustedAddress } from '../../../../../test/rail/harness.js';
import { payoutsWithoutFloat } from '#views/payouts';
import { RailWorkOptions } from '../rail-work-options.js';
import { PayoutQueries } from './payout-queries.js';

let harness: RailHarness;
let queries: PayoutQueries;
beforeAll(async () => {
  harness = await RailHarness.start();
  queries = harness.app.get(PayoutQueries, { strict: false });
});
afterAll(() => harness.stop());
beforeEach(async () => {
  await harness.database.query('delete from open_payouts');
});

/** As the projector lists a payout that was sent that long ago, or declined, or approved. */
async function started(
  ageMs: number,
  step: 'started' | 'declined' | 'approved' = 'started',
): Promise<string> {
  const stream = `payout-demo:m1:${randomUUID()}`;
  await harness.database.query(
    `insert into open_payouts (stream, mode, channel, step, since, position, originator_conversation_id)
     values ($1, 'demo', 'mpesa', $3, records.now_() - $2 * interval '1 millisecond', 1, 'pp-1')`,
    [stream, ageMs, step],
  );
  return stream;
}

const due = async () => (await queries.due(10)).map(({ stream, asked }) => ({ stream, asked }));

it('a payout is asked about when the first delay is over, by one worker, and then at the next delay', async () => {
  await started(1000);
  const stream = await started(66_001);
  expect(await due()).toEqual([{ stream, asked: 0 }]);
  const [query] = await queries.due(10);
  if (!query) throw new Error('nothing is due');
  expect(query).toEqual({
    ...{ stream, mode: 'demo', channel: 'mpesa', asked: 0 },
    originatorConversationId: 'pp-1',
  });
  const leases = await Promise.all([queries.lease(query), queries.lease(query)]);
  expect(leases.filter(Boolean)).toHaveLength(1);
  expect(await due()).toEqual([]);
});

it('a payout that was declined is asked about after the others, to the last delay and no further', async () => {
  const declined = await started(66_002, 'declined');
  const stream = await started(66_001);
  expect(await due()).toEqual([
    { stream, asked: 0 },
    { stream: declined, asked: 0 },
  ]);
  await harness.database.query('delete from open_payouts where stream = $1', [stream]);
  let questions = 0;
  for (; questions < 100; questions += 1) {
    const [query] = await queries.due(10);
    if (!query) break;
    expect(await queries.lease(query)).toBe(true);
    await harness.database.query(`update records.payout_queries set due_at = records.now_()`);
  }
  expect(questions).toBe(harness.app.get(RailWorkOptions, { strict: false }).queryDelaysMs.length);
  // Whatever is still brought for it, nobody is asked any more.
  await queries.makeDue(declined);
  expect(await due()).toEqual([]);
});

it('a payout has waited for float since that was first missing, not since it was approved', async () => {
  const hourMs = 3_600_000;
  const long = await started(50 * hourMs, 'approved');
  const short = await started(50 * hourMs, 'approved');
  await started(50 * hourMs, 'approved');
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
    ...{ forMs: 24 * hourMs, limit: 10, after: 0n },
  });
  await harness.database.query('delete from transactions');
  expect(found.map(({ stream }) => stream)).toEqual([long]);
});

it('a question that was not put is due again in seconds, under its old number', async () => {
  const stream = await started(66_001);
  const [query] = await queries.due(10);
  if (!query) throw new Error('nothing is due');
  await queries.lease(query);
  await queries.giveBack(query);
  expect(await due()).toEqual([]);
  await harness.database.query(`update records.payout_queries set due_at = records.now_()`);
  expect(await due()).toEqual([{ stream, asked: 0 }]);
});

it('what an untrusted sender brings makes a question due at once, and soon after one no more', async () => {
  const stream = await started(1000);
  const body = `{"Result":{"ResultCode":0,"OriginatorConversationID":"pp-1"}}`;
  const token = sealPayoutToken(harness.keyring, { channel: 'mpesa', stream }, 'timeout');
  expect((await harness.post(token, body, untrustedAddress))[0]).toBe(200);
  expect(await due()).toEqual([]);
  await harness.app.get(InboxStep, { strict: false }).step();
  expect(await harness.inboxOf(stream)).toMatchObject([{ applied: true, outcome: 'query_due' }]);
  expect(await due()).toEqual([{ stream, asked: 0 }]);
  const [query] = await queries.due(10);
  if (query) await queries.lease(query);
  await queries.makeDue(stream);
  expect(await due()).toEqual([]);
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
      ...{ ResultCode: purpose === 'result' ? 8 : 0, OriginatorConversationID: 'pp-1' },
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
  await queries.makeDue(stream);
  await queries.note(stream, { attempt: 2, answer: 'declined:x' });
  await queries.note(stream, { attempt: 1, answer: 'unresolved' });
  expect(await queries.answerBefore(stream, 2)).toBeUndefined();
  expect(await queries.answerBefore(stream, 3)).toBe('declined:x');
  await queries.forget(stream);
  expect(await queries.answerBefore(stream, 3)).toBeUndefined();
});
