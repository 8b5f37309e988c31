import { SystemClock } from '#infra/runtime';
import { setTimeout as sleep } from 'node:timers/promises';
import { sealedMessage, throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes, randomUUID } from 'node:crypto';
import { instantFromMs } from '#domain/kernel';
import { RailWorkOptions, type ToldPayment } from '#edges/rails';
import { RecordedInbox, RecordedQuerySchedule } from '#adapters/rail-records';
import { findCaseFile, listCallbacksLeft, listToldPayments } from './case-file.js';
import { RecordedSealedMessages } from '#records/evidence';

let own: ThrowAwayDatabase;
beforeAll(async () => {
  own = await throwAwayDatabase();
});
afterAll(() => own.drop());

const sealed = () => ({ keyId: 'k', ciphertext: randomBytes(40) });

async function inboxEntry(stream: string, outcome?: string, told?: ToldPayment): Promise<string> {
  const id = randomUUID();
  const channel = 'mpesa';
  const entry = { id, channel, stream, sourceAddress: '203.0.113.7', trusted: false, ...sealed() };
  const inbox = new RecordedInbox(own.database);
  await inbox.add(entry);
  if (outcome !== undefined) await inbox.conclude(id, outcome, told);
  return id;
}

describe('the file of a case', () => {
  it('holds what was tried and received for its stream alone, the oldest first, and no contents', async () => {
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
  it('are those alone, the newest of them, in the order in which they came', async () => {
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

  it('are found behind any number of those of others', async () => {
    const outcome = 'left_for_review: unresolved';
    const old = await inboxEntry('collection-live:m2:A', outcome);
    for (const reference of ['B', 'C'])
      await inboxEntry(`collection-live:m3:${reference}`, outcome);
    const prefixes = ['collection-demo:m2:', 'collection-live:m2:'];
    const found = await listCallbacksLeft(own.database, 2, prefixes);
    expect(found.map(({ id }) => id)).toEqual([old]);
  });
});

describe('payments out that the rail reported and no item accounts for', () => {
  it('are listed with all that the rail said of them, the newest first', async () => {
    const outcome = 'left_for_review: paid_unsent';
    const paidAt = instantFromMs(Date.UTC(2026, 10, 19, 3, 4, 5));
    const of = (reference: string) => `payout-live:m4:${reference}`;
    const whole = { receipt: 'NLJ7RT61SV', amountMinor: 2n ** 53n + 1n, paidAt };
    const told = await inboxEntry(of('A'), outcome, whole);
    // The records store instants to the millisecond.
    await sleep(2);
    const bare = await inboxEntry(of('B'), outcome, {});
    await sleep(2);
    await inboxEntry(of('C'), outcome);
    await inboxEntry(of('D'), 'completed', whole);
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
    expect(await listToldPayments(own.database, 10)).toMatchObject([
      { id: bare, told: true, ...toldNothing },
      toldWhole,
    ]);
    expect(await listToldPayments(own.database, 1)).toMatchObject([{ id: bare }]);
    // `review list` shows them among the callbacks that people must decide.
    expect(await listCallbacksLeft(own.database, 10, ['payout-live:m4:'])).toMatchObject([
      toldWhole,
      { id: bare, told: true, ...toldNothing },
      { stream: of('C'), told: false, ...toldNothing },
    ]);
  });
});
