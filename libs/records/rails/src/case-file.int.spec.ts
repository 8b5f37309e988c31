import { SystemClock } from '#infra/runtime';
import { setTimeout as sleep } from 'node:timers/promises';
import { sealedMessage, throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { instantFromMs } from '#domain/kernel';
import { RailWorkOptions, type ToldPayment } from '#edges/rails';
import { RecordedInbox, RecordedQuerySchedule } from '#adapters/rail-records';
import { findCaseFile, listCallbacksLeft, listUnpostedReports } from './case-file.js';
import { createViews, viewSchema } from '#views/view-set';
import { RecordedSealedMessages } from '#records/evidence';
import { countUnpostedReports, dismissReport, leftReport } from './unposted-reports.js';

let own: ThrowAwayDatabase;
beforeAll(async () => {
  own = await throwAwayDatabase({ searchPath: [viewSchema()] });
  await createViews(own.database, viewSchema());
});
afterAll(() => own.drop());

const sealed = () => ({ keyId: 'k', ciphertext: randomBytes(40) });

async function inboxEntry(
  stream: string,
  outcome?: string,
  told?: ToldPayment,
  trusted = false,
): Promise<string> {
  const id = randomUUID();
  const channel = 'mpesa';
  const entry = { id, channel, stream, sourceAddress: '203.0.113.7', trusted, ...sealed() };
  const inbox = new RecordedInbox(own.database);
  await inbox.add(entry);
  if (outcome !== undefined) await inbox.conclude(id, outcome, told);
  return id;
}

describe('the case file', () => {
  it('contains the queries, callbacks and messages of its stream only, without contents', async () => {
    const stream = 'collection-demo:m:INV-1';
    const options = { queryDelaysMs: [], pushTimeoutMs: 0, reviewAfterMs: 0 };
    const schedule = new RecordedQuerySchedule(
      own.database,
      new RailWorkOptions(options),
      new SystemClock(),
    );
    for (const attempt of [1, 2]) {
      await schedule.lease({ stream, attempt });
      await schedule.conclude({ stream, attempt }, 'unresolved');
    }
    const waiting = await inboxEntry(stream);
    const former = randomUUID();
    await own.database.query(
      `insert into records.rail_messages (id, stream, digest, key_id, ciphertext) values ($1, $2, '', 'k', '')`,
      [former, stream],
    );
    const messages = new RecordedSealedMessages(own.database);
    const said = sealedMessage({ kind: 'callback', stream });
    for (const message of [sealedMessage({ stream }), said]) await messages.keep(message);
    await inboxEntry('collection-demo:m:INV-2');

    const file = await findCaseFile(own.database, stream);
    expect(file.queries).toMatchObject([
      { attempt: 1, outcome: 'unresolved' },
      { attempt: 2, outcome: 'unresolved' },
    ]);
    expect(file.inbox).toMatchObject([
      { id: waiting, attempts: 0, appliedAt: null, outcome: null, sourceAddress: '203.0.113.7' },
    ]);
    const receivedAt = expect.any(Date) as unknown;
    expect(file.messages).toEqual([
      { id: former, receivedAt },
      { id: said.id, receivedAt },
    ]);
    expect(JSON.stringify(file)).not.toContain('ciphertext');
  });
});

describe('callbacks left for review', () => {
  it('are listed without other callbacks, only the newest, in order of arrival', async () => {
    await inboxEntry('collection-demo:m:A', 'completed');
    const left: string[] = [];
    for (const reference of ['B', 'C', 'D']) {
      left.push(await inboxEntry(`collection-demo:m:${reference}`, 'left_for_review: unresolved'));
      // The records store instants to the millisecond.
      await sleep(2);
    }
    const newest = await listCallbacksLeft(own.database, 2);
    expect(newest.map(({ id }) => id)).toEqual(left.slice(1));
  });

  it('are found behind any number of other merchants’ callbacks', async () => {
    const outcome = 'left_for_review: unresolved';
    const old = await inboxEntry('collection-live:m2:A', outcome);
    for (const reference of ['B', 'C'])
      await inboxEntry(`collection-live:m3:${reference}`, outcome);
    const prefixes = ['collection-demo:m2:', 'collection-live:m2:'];
    const found = await listCallbacksLeft(own.database, 2, prefixes);
    expect(found.map(({ id }) => id)).toEqual([old]);
  });
});

describe('outgoing payments that the rail reported and no item accounts for', () => {
  it('are listed with everything the rail reported about them, newest first', async () => {
    const outcome = 'left_for_review: paid_unsent';
    const paidAt = instantFromMs(Date.UTC(2026, 10, 19, 3, 4, 5));
    const of = (reference: string) => `payout-live:m4:${reference}`;
    const whole = { receipt: 'NLJ7RT61SV', amountMinor: 2n ** 53n + 1n, paidAt };
    const told = await inboxEntry(of('A'), outcome, whole, true);
    // The records store instants to the millisecond.
    await sleep(2);
    const bare = await inboxEntry(of('B'), outcome, {}, true);
    await sleep(2);
    await inboxEntry(of('C'), outcome);
    await inboxEntry(of('D'), 'completed', whole, true);
    const toldWhole = {
      id: told,
      stream: of('A'),
      outcome,
      told: true,
      toldReceipt: 'NLJ7RT61SV',
      toldMinor: 2n ** 53n + 1n,
      toldPaidAt: new Date(paidAt),
    };
    const toldNothing = { toldReceipt: null, toldMinor: null, toldPaidAt: null };
    const listed = (limit: number) => listUnpostedReports(own.database, { fromRail: true, limit });
    expect(await listed(10)).toMatchObject([{ id: bare, told: true, ...toldNothing }, toldWhole]);
    expect(await listed(1)).toMatchObject([{ id: bare }]);
    // `review list` shows them among the callbacks that people must decide.
    expect(await listCallbacksLeft(own.database, 10, ['payout-live:m4:'])).toMatchObject([
      toldWhole,
      { id: bare, told: true, ...toldNothing },
      { stream: of('C'), told: false, ...toldNothing },
    ]);
  });
});

describe('reports of payments that the ledger does not have', () => {
  const outcome = 'left_for_review: other_short_code';
  const notice = (receipt: string, trusted = true, why = outcome) => {
    const sender = trusted ? '' : 'untrusted:';
    const stream = `c2b-live:mpesa:${sender}${receipt}`;
    return inboxEntry(stream, why, { receipt, amountMinor: 500n }, trusted);
  };
  const count = () => countUnpostedReports(own.database);
  const listed = async (fromRail: boolean) =>
    (await listUnpostedReports(own.database, { fromRail, limit: 20 })).map(({ id }) => id);
  const left = async () =>
    (await listCallbacksLeft(own.database, 20, ['c2b-live:'])).map(({ id }) => id);
  const correct = (receipt: string, isPosted: boolean) =>
    own.database.query(
      `insert into corrections (stream, id, merchant_id, mode, currency, legs, why, receipt, may_overdraw, proposed_by, proposed_at, position, confirmed_by, posted_at)
         values ('correction-live:' || $1, $1, 'm-1', 'live', 'KES', '{}', 'w', $1, false, 'a', now(), 1,
           case when $2 then 'b' end, case when $2 then now() end)
         on conflict (stream) do update set confirmed_by = excluded.confirmed_by, posted_at = excluded.posted_at`,
      [receipt, isPosted],
    );
  beforeEach(async () => {
    await own.database.query('delete from records.callback_inbox');
    await own.database.query('update checkpoint set fresh_at = now()');
  });

  it('count by sender, and end once the ledger has the receipt', async () => {
    const own1 = await notice('RKL51ZDR01');
    const foreign = await notice('RKL51ZDR02', false);
    expect(await count()).toEqual({ ofRail: 1, ofOthers: 1 });
    expect([await listed(true), await listed(false)]).toEqual([[own1], [foreign]]);
    await correct('RKL51ZDR01', false);
    expect(await count()).toEqual({ ofRail: 1, ofOthers: 1 });
    await correct('RKL51ZDR01', true);
    await correct('RKL51ZDR02', true);
    expect(await count()).toEqual({ ofRail: 0, ofOthers: 0 });
    expect([await listed(true), await listed(false), await left()]).toEqual([[], [], []]);
  });

  it('count as one payment if several reports name a receipt, and as no payment if none is named', async () => {
    await notice('RKL51ZDR03');
    await notice('RKL51ZDR03');
    await inboxEntry('collection-live:m:A', 'left_for_review: unresolved', undefined, true);
    await notice('RKL51ZDR04', true, 'settled');
    expect(await count()).toEqual({ ofRail: 1, ofOthers: 0 });
  });

  it('do not count before the views have contained the whole log', async () => {
    await notice('RKL51ZDR05');
    await own.database.query('update checkpoint set fresh_at = null');
    expect(await count()).toBeUndefined();
  });

  it('end when a person dismisses them', async () => {
    const id = await notice('RKL51ZDR06');
    expect(await leftReport(own.database, id)).toEqual({
      channel: 'mpesa',
      mode: 'live',
      receipt: 'RKL51ZDR06',
      why: 'other_short_code',
    });
    await dismissReport(own.database, id);
    expect(await leftReport(own.database, id)).toBeUndefined();
    expect(await count()).toEqual({ ofRail: 0, ofOthers: 0 });
    const { inbox } = await findCaseFile(own.database, 'c2b-live:mpesa:RKL51ZDR06');
    expect(inbox).toMatchObject([{ outcome: 'dismissed' }]);
    const waits = await inboxEntry('c2b-live:mpesa:RKL51ZDR07');
    expect(await leftReport(own.database, waits)).toBeUndefined();
    await dismissReport(own.database, waits);
    const { inbox: waiting } = await findCaseFile(own.database, 'c2b-live:mpesa:RKL51ZDR07');
    expect(waiting).not.toMatchObject([{ outcome: 'dismissed' }]);
  });

  it('end with the decision about their payment, if it is on the rail’s list', async () => {
    await notice('RKL51ZDR08', true, 'left_for_review: not_settled');
    await own.database.query(
      `insert into records.unmatched_payments (channel, mode, receipt, day, amount_minor, paid_at, stream, why)
         values ('mpesa', 'live', 'RKL51ZDR08', '2026-11-20', 500, now(), 'collection-live:m:X', 'not_settled')`,
    );
    expect(await count()).toEqual({ ofRail: 1, ofOthers: 0 });
    await own.database.query(
      `insert into transactions (position, stream, merchant_id, mode, type, reference, currency, id, account_no, channel,
           requested_minor, created_at, created_on, status, amount_minor, fee_minor, under_review)
         values (4, 'collection-live:m:X', 'm', 'live', 'collection', 'X', 'KES', gen_random_uuid(), '1', 'mpesa', 1, now(),
           current_date, 'failed', 1, 0, true)`,
    );
    expect(await count()).toEqual({ ofRail: 1, ofOthers: 0 });
    await own.database.query('update transactions set under_review = false');
    expect(await count()).toEqual({ ofRail: 0, ofOthers: 0 });
  });

  it('end with the payout’s review if the payout has no receipt', async () => {
    const stream = 'payout-live:m:P';
    await inboxEntry(stream, 'left_for_review: paid_unsent', {}, true);
    await own.database.query(
      `insert into transactions (position, stream, merchant_id, mode, type, reference, currency, id, account_no, channel,
           requested_minor, created_at, created_on, status, amount_minor, fee_minor, under_review)
         values (5, $1, 'm', 'live', 'payout', 'P', 'KES', gen_random_uuid(), '1', 'mpesa', 1, now(),
           current_date, 'failed', 1, 0, true)`,
      [stream],
    );
    expect(await count()).toEqual({ ofRail: 1, ofOthers: 0 });
    await own.database.query('update transactions set under_review = false');
    expect(await count()).toEqual({ ofRail: 0, ofOthers: 0 });
  });

  it('from the rail stay listed even if other senders’ reports fill the list', async () => {
    const id = await notice('RKL51ZDR09');
    for (const n of [1, 2, 3]) {
      await sleep(2);
      await notice(`RKL51ZDS0${n}`, false);
    }
    const newest = await listCallbacksLeft(own.database, 2, ['c2b-live:']);
    expect(newest.map((row) => row.id)).toContain(id);
  });
});
