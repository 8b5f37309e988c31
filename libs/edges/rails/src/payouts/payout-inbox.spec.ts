import { Logger } from '@nestjs/common';
import { type CommandBus } from '@nestjs/cqrs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { type Verdict } from '#domain/rails';
import { ok, refuse } from '#domain/kernel';
import { type ConfirmPayout, type PayoutStatus } from '#domain/payouts';
import { MessagesInMemory } from '#testing';
import { Metrics, UuidIds } from '#infra/runtime';
import { Keyring, sealRailMessage } from '#shared/signing';
import { alertsFiredBy } from '../../../../../test/servers/alerts.js';
import { CallbackKeys } from '../callback/callback-keys.js';
import { type DueInboxEntry } from '../inbox/inbox.js';
import { type RailCallbacks, RailTable } from '../rail-adapter.js';
import { type AccountRefusals } from './account-refusals.js';
import { PayoutInbox } from './payout-inbox.js';
import { type PayoutAnswerNote, PayoutQueries } from './payout-queries.js';
import { PayoutsClient } from './payouts-client.js';

const stream = 'payout-demo:m1:out-1';
const keyring = Keyring.from([{ id: 'k1', bytes: Buffer.alloc(32, 7) }]);
const paid: Verdict = { kind: 'paid', resultCode: '0', amountMinor: 25_000n };
const declined: Verdict = { kind: 'declined', failureCode: 'rail_declined' };

let isOwn = false;
/** A rail whose reports are verdicts as JSON. */
const rail = {
  channel: 'mpesa',
  isOwnAddress: () => isOwn,
  payoutReports: {
    readResult: (bytes: Uint8Array) => callbackIn(bytes),
    readAnswer: (bytes: Uint8Array) => callbackIn(bytes),
    readFloat: () => undefined,
  },
} as unknown as RailCallbacks;

function callbackIn(bytes: Uint8Array) {
  const text = Buffer.from(bytes).toString();
  if (!text.startsWith('{')) return undefined;
  const verdict = JSON.parse(text, (name, value: unknown) =>
    name === 'amountMinor' ? BigInt(value as string) : value,
  ) as Verdict;
  return { originatorConversationId: 'pp-1', verdict };
}

class Queries extends PayoutQueries {
  readonly notes: PayoutAnswerNote[] = [];
  readonly calls: string[] = [];
  override due = () => Promise.resolve([]);
  override lease = () => Promise.resolve(true);
  override giveBack = () => Promise.resolve();
  override askExtra(): Promise<void> {
    this.calls.push('extra');
    return Promise.resolve();
  }
  override extraAnswered(): Promise<void> {
    this.calls.push('answered');
    return Promise.resolve();
  }
  override answerBefore(_stream: string, attempt: number): Promise<string | undefined> {
    const before = this.notes.filter((note) => note.attempt < attempt);
    return Promise.resolve(before.at(-1)?.answer);
  }
  override lastQuestion = () => Promise.resolve(undefined);
  override note(_stream: string, note: PayoutAnswerNote): Promise<void> {
    this.notes.push(note);
    return Promise.resolve();
  }
  override settled(): Promise<void> {
    this.calls.push('settled');
    return Promise.resolve();
  }
}

let queries: Queries;
let messages: MessagesInMemory;
let said: ConfirmPayout[];
let metrics: Metrics;
/** The verdicts that were recorded for the rail's account. */
let recorded: unknown[];
const refusals = {
  record: (...of: unknown[]) => Promise.resolve(void recorded.push(of)),
} as unknown as AccountRefusals;
let becomes: (command: ConfirmPayout) => unknown;

const status = (status: PayoutStatus) => () => ok({ status });
const bring = (
  purpose: string,
  verdict: Verdict | string,
  {
    trusted = true,
    attempts = 1,
    receivedAt = new Date(0),
  }: { readonly trusted?: boolean; readonly attempts?: number; readonly receivedAt?: Date } = {},
) => {
  const text =
    typeof verdict === 'string'
      ? verdict
      : JSON.stringify(verdict, (_name, value: unknown) =>
          typeof value === 'bigint' ? value.toString() : value,
        );
  const id = '00000000-0000-4000-8000-000000000001';
  const sealed = sealRailMessage(keyring, id, Buffer.from(text));
  const entry: DueInboxEntry = {
    ...sealed,
    channel: 'mpesa',
    stream,
    purpose,
    trusted,
    sourceAddress: '203.0.113.7',
    receivedAt,
    ageMs: 0,
    attempts,
  };
  const bus = {
    execute: (command: ConfirmPayout) => {
      said.push(command);
      return Promise.resolve(becomes(command));
    },
  } as unknown as CommandBus;
  const keys = new CallbackKeys(keyring, new UuidIds(), new RailTable([rail]));
  const client = new PayoutsClient(bus, new UuidIds(), refusals, metrics);
  return new PayoutInbox(client, queries, keys, messages).apply(entry);
};
const reports = () => said.map(({ report }) => report);

beforeAll(() => {
  Logger.overrideLogger(false);
});
afterAll(() => {
  Logger.overrideLogger(true);
});
beforeEach(() => {
  isOwn = false;
  queries = new Queries();
  messages = new MessagesInMemory();
  said = [];
  recorded = [];
  metrics = new Metrics();
  becomes = status('pending');
});

describe('a result', () => {
  it('from the rail is delivered, on bytes that are kept', async () => {
    becomes = status('completed');
    expect(await bring('result', paid)).toEqual({ kind: 'done', outcome: 'completed' });
    expect(reports()).toMatchObject([{ by: 'callback', isTrusted: true, verdict: paid }]);
    expect([messages.kept.size, queries.calls]).toEqual([1, ['settled']]);
  });

  it('leaves the questions as they are if it declines, since the rail may still pay', async () => {
    becomes = status('failed');
    expect(await bring('result', declined)).toEqual({ kind: 'done', outcome: 'failed' });
    expect(queries.calls).toEqual([]);
  });

  it('is recorded and counted if it refuses the paying account, unless an untrusted sender brought it', async () => {
    const expired = { kind: 'declined', failureCode: 'rail_unauthorized' } as const;
    becomes = status('failed');
    await bring('result', declined);
    const before = await metrics.registry.metrics();
    expect(await alertsFiredBy(before)).toEqual([]);
    await bring('result', expired);
    const account = { channel: 'mpesa', mode: 'demo' };
    const tellings = [
      [account, declined],
      [account, expired],
    ];
    expect(recorded).toEqual(tellings);
    becomes = () => refuse('not_corroborated');
    await bring('result', expired, { trusted: false });
    // This report is about another payment.
    await bring('result', expired);
    expect(recorded).toEqual(tellings);
    becomes = status('completed');
    await bring('answer:1:x', declined);
    await bring('answer:1:x', paid);
    expect(recorded.slice(2)).toEqual([[account, paid]]);
    const after = await metrics.registry.metrics();
    expect(after).toContain(
      'rail_account_refusals_total{mode="demo",by="result",why="rail_unauthorized"} 1',
    );
    expect(await alertsFiredBy(after, before)).toEqual(['PayoutsRefusedForTheAccount']);
  });

  it('is counted, but not recorded for the paying account, if it is about a reversal (REF-12)', async () => {
    const refused = { kind: 'declined', failureCode: 'rail_unauthorized' } as const;
    becomes = () => ok({ status: 'failed', isReversal: true });
    await bring('result', refused);
    becomes = () => ok({ status: 'completed', isReversal: true });
    await bring('result', paid);
    expect(recorded).toEqual([]);
    expect(await metrics.registry.metrics()).toContain(
      'rail_account_refusals_total{mode="demo",by="result",why="rail_unauthorized"} 1',
    );
  });

  it('from an untrusted sender leads to a status query', async () => {
    becomes = () => refuse('not_corroborated');
    const outcome = { kind: 'done', outcome: 'query_due' };
    expect(await bring('result', paid, { trusted: false })).toEqual(outcome);
    expect(reports()).toMatchObject([{ isTrusted: false }]);
    expect(queries.calls).toEqual(['extra']);
  });

  it('leads to a status query if it settles nothing', async () => {
    await bring('result', { kind: 'unresolved', unknownCode: '17' });
    expect(queries.calls).toEqual(['extra']);
  });

  it('leads to a status query if it settles nothing for a declined payout, which may succeed late', async () => {
    becomes = status('failed');
    const outcome = { kind: 'done', outcome: 'query_due' };
    expect(await bring('result', { kind: 'unresolved' })).toEqual(outcome);
    expect(await bring('answer:9:x', { kind: 'unresolved' })).toEqual({
      ...outcome,
      outcome: 'failed',
    });
    expect(queries.calls).toEqual(['extra']);
  });

  it('is tried again, then asked about and left for review, if the rail’s result is about another payment', async () => {
    becomes = () => refuse('not_corroborated');
    // The event with the rail's name for the order may arrive a moment later.
    for (const attempts of [1, 2])
      expect(await bring('result', paid, { attempts })).toMatchObject({ kind: 'again' });
    expect(queries.calls).toEqual([]);
    const outcome = { kind: 'done', outcome: 'left_for_review: other_payment' };
    expect(await bring('result', paid, { attempts: 3 })).toEqual(outcome);
    expect(queries.calls).toEqual(['extra']);
    // An answer to a question causes no other question, or questions would never end.
    expect(await bring('answer:1:x', paid, { attempts: 3 })).toEqual(outcome);
    expect(queries.calls).toEqual(['extra']);
  });
});

it('an answer that comes an hour late is trusted only from the rail’s own addresses', async () => {
  const askedAt = (ms: number) =>
    `answer:1:${ms
      .toString(16)
      .padStart(12, '0')
      .replace(/(.{8})/, '$1-')}-7000-8000-000000000000`;
  const receivedAt = new Date(10_000_000_000);
  const ago = (ms: number) => askedAt(receivedAt.getTime() - ms);
  await bring(ago(3_500_000), paid, { receivedAt });
  await bring(ago(3_700_000), paid, { receivedAt });
  isOwn = true;
  await bring(ago(3_700_000), paid, { receivedAt });
  expect(reports().map(({ isTrusted }) => isTrusted)).toEqual([true, false, true]);
});

it('a time-out of the queue reports nothing about the payment, and leads to a status query', async () => {
  const outcome = { kind: 'done', outcome: 'query_due' };
  expect(await bring('timeout', 'in whatever words')).toEqual(outcome);
  expect([said, queries.calls]).toEqual([[], ['extra']]);
});

it.each(['unknown_payout', 'not_sent'] as const)(
  'a reported payment for a payout that is %s is left for review with all its data',
  async (refusal) => {
    becomes = () => refuse(refusal);
    const why = refusal === 'not_sent' ? 'paid_unsent' : refusal;
    const outcome = `left_for_review: ${why}`;
    const told = {
      receipt: 'NLK8RU72TW',
      amountMinor: 25_000n,
      paidAt: '2026-11-21T08:00:00.000Z',
    };
    const full = { kind: 'paid', resultCode: '0', ...told } as unknown as Verdict;
    expect(await bring('result', full)).toEqual({ kind: 'done', outcome, told });
    expect(await bring('result', { kind: 'unresolved', isSuccess: true })).toEqual({
      kind: 'done',
      outcome,
      told: {},
    });
    expect(await bring('result', declined)).toEqual({ kind: 'done', outcome });
    expect(await bring('result', paid, { trusted: false })).toEqual({ kind: 'done', outcome });
  },
);

describe('an answer to a status query', () => {
  it('counts as a decline if the answer to the previous question was the same', async () => {
    await bring('answer:1:x', declined);
    await bring('answer:1:x', declined);
    await bring('answer:3:y', declined);
    expect(reports().map(({ by, repeated }) => [by, repeated])).toEqual([
      ['query', false],
      ['query', false],
      ['query', true],
    ]);
  });

  it.each<Verdict>([{ ...declined, failureCode: 'expired' }, { kind: 'unresolved' }])(
    'cancels the decline before it if it is %j',
    async (other) => {
      await bring('answer:1:x', declined);
      await bring('answer:2:y', other);
      await bring('answer:3:z', declined);
      expect(reports().at(-1)?.repeated).toBe(false);
    },
  );

  it('to an extra question counts if it reports a payment, but never if it declines', async () => {
    await bring('answer:1:x', declined);
    for (const id of ['y', 'z']) await bring(`answer:0:${id}`, declined);
    await bring('answer:0:w', { kind: 'unresolved' });
    expect(reports().map(({ repeated }) => repeated)).toEqual([false, false, false, false]);
    expect(queries.notes).toEqual([{ attempt: 1, answer: 'declined:rail_declined' }]);
    expect(queries.calls).toEqual(['answered', 'answered', 'answered']);
    becomes = status('completed');
    expect(await bring('answer:0:v', paid)).toEqual({ kind: 'done', outcome: 'completed' });
    expect(reports().at(-1)).toMatchObject({ by: 'query', isTrusted: true, verdict: paid });
  });

  it('is asked for again only by the schedule if it settles nothing, and its code is recorded', async () => {
    await bring('answer:1:x', { kind: 'unresolved' });
    await bring('answer:2:y', { kind: 'unresolved', unknownCode: '2033' });
    expect(queries.calls).toEqual([]);
    expect(queries.notes.map(({ answer }) => answer)).toEqual(['unresolved', 'unresolved:2033']);
  });
});

it.each([
  ['result', 'no report'],
  ['elsewhere', '{}'],
])('a message that is no report is left for review: %s', async (purpose, text) => {
  const outcome = { kind: 'done', outcome: 'left_for_review: no_callback' };
  expect(await bring(purpose, text)).toEqual(outcome);
});
