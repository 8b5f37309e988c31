import { type V3Gate } from '#edges/v3-gate';
import { type QueryBus } from '@nestjs/cqrs';
import { describe, expect, it } from '@jest/globals';
import {
  collectionDecider,
  type CollectionEvent,
  type FindCollection,
  type CollectionDetails,
  type RecordedCollection,
} from '#domain/collections';
import { fold, type RecordedEvent } from '#domain/event-sourcing';
import { instantFromMs } from '#domain/kernel';
import { HandMadeLog } from '#testing';
import { type CheckoutLink } from '../link/checkout-link.js';
import { type Nonces } from '../link/nonces.js';
import { type PaymentAttempt, attemptReference, mayFollow } from './payment-attempt.js';
import { type FormPushes, PaymentAttempts } from './payment-attempts.js';
import { paymentState, stateWord } from './payment-state.js';

const nowMs = Date.UTC(2026, 10, 21, 9);
const link = {
  version: 'v3',
  reference: 'R',
  amountMinor: 25_000n,
  account: { merchantId: 'm', mode: 'demo', currency: 'KES' },
} as unknown as CheckoutLink;

function attempt(state: object, number = 1, ageMs = 0): PaymentAttempt {
  const intent = { phoneMasked: '2547*****678' };
  const collection = { intent, push: { kind: 'accepted' }, payment: {}, ...state };
  const startedAt = instantFromMs(nowMs - ageMs);
  return { number, collection: collection as RecordedCollection, startedAt };
}

const failed = (failureCode: string, number = 1) =>
  attempt({ status: 'failed', failureCode }, number);

describe('another attempt', () => {
  it.each(['cancelled', 'insufficient_funds', 'wrong_pin'])(
    'may follow %s, up to the fourth',
    (code) => {
      expect([1, 2, 3, 4].map((number) => mayFollow(failed(code, number)))).toEqual([
        ...[true, true, true, false],
      ]);
    },
  );

  it.each(['no_answer', 'expired', 'rail_refused', 'push_error', 'subscriber_locked'])(
    'does not follow the failure %s',
    (code) => {
      expect(mayFollow(failed(code))).toBe(false);
    },
  );

  it.each(['pending', 'completed', 'in_suspense', 'refunded'])(
    'does not follow the status %s',
    (status) => {
      expect(mayFollow(attempt({ status, failureCode: 'cancelled' }))).toBe(false);
    },
  );

  it('has a reference that no merchant can give', () => {
    expect([1, 2, 4].map((number) => attemptReference('R', number))).toEqual(['R', 'R~2', 'R~4']);
  });
});

describe('the state of a link', () => {
  it.each([
    [undefined, 'open'],
    [attempt({ status: 'pending' }), 'waiting-prompted'],
    [attempt({ status: 'pending', push: { kind: 'unknown' } }), 'waiting-unsure'],
    [attempt({ status: 'pending' }, 1, 121_000), 'waiting-prompted-long'],
    [failed('cancelled', 2), 'retry-3'],
    [failed('cancelled', 4), 'failed'],
    [failed('no_answer'), 'failed'],
    [attempt({ status: 'in_suspense' }), 'checked'],
    [attempt({ status: 'refunded' }), 'refunded'],
    [attempt({ status: 'completed', postedMinor: 1n }), 'paid'],
  ])('%#: %s', (last, word) => {
    expect(stateWord(paymentState(last, nowMs))).toBe(word);
  });
});

const intent = (reference: string, amountMinor = 25_000n) => ({
  type: 'CollectionIntentRecorded',
  data: { reference, amountMinor, currency: 'KES', phoneMasked: '2547*****678' },
});
const cancelled = { type: 'RailDeclined', data: { by: 'callback', failureCode: 'cancelled' } };

const found = (events: readonly RecordedEvent<CollectionEvent>[]) => ({
  events,
  state: fold(collectionDecider, events),
});

/** Returns attempts over a log in which each stream has the events of its reference. */
function attemptsOver(
  histories: Readonly<Record<string, readonly object[]>>,
  nonces: Pick<Nonces, 'use'> = { use: () => Promise.resolve(true) },
) {
  const started: CollectionDetails[] = [];
  const log = new HandMadeLog(nowMs);
  const streams = new Map<string, RecordedEvent<CollectionEvent>[]>();
  for (const [reference, events] of Object.entries(histories)) {
    const recorded = log.append(reference, ...(events as { type: string; data: object }[]));
    const commitment = 'c'.repeat(64);
    const proven = recorded.map((one) => ({ ...one, metadata: { ...one.metadata, commitment } }));
    streams.set(reference, proven as RecordedEvent<CollectionEvent>[]);
  }
  const queries = {
    execute: ({ key }: FindCollection) => Promise.resolve(found(streams.get(key.reference) ?? [])),
  };
  const pushes = {
    push: (details: CollectionDetails) => {
      started.push(details);
      return Promise.resolve({ ok: true, value: {} });
    },
  };
  const attempts = new PaymentAttempts(
    pushes as unknown as FormPushes,
    queries as unknown as QueryBus,
    nonces as Nonces,
    { notePhoneReference: () => undefined } as unknown as V3Gate,
  );
  return { attempts, started };
}

describe('the newest attempt', () => {
  it('is the last of those that may follow each other', async () => {
    const all = {
      R: [intent('R'), cancelled],
      'R~2': [intent('R~2'), cancelled],
      'R~3': [intent('R~3')],
    };
    const newest = await attemptsOver(all).attempts.newest(link);
    expect(newest).toMatchObject({
      ok: true,
      value: { number: 3, collection: { status: 'pending' } },
    });
  });

  it('is the first one if money for it arrived after all', async () => {
    const paid = { type: 'WalletPosted', data: { amountMinor: 25_000n, feeMinor: 0n, legs: [] } };
    const all = { R: [intent('R'), cancelled, paid], 'R~2': [intent('R~2')] };
    const newest = await attemptsOver(all).attempts.newest(link);
    expect(newest).toMatchObject({ value: { number: 1, collection: { status: 'completed' } } });
  });

  it('is rejected if the reference was used for another amount', async () => {
    const newest = await attemptsOver({ R: [intent('R', 1n)] }).attempts.newest(link);
    expect(newest).toMatchObject({ ok: false, refusal: { code: 'another_amount' } });
  });
});

describe('starting an attempt', () => {
  const credential = { credentialId: 'k', holder: 'till' };
  const proof = { requestId: 'c', credential, evidence: {}, bytes: Buffer.alloc(0) };

  it('asks for the collection under the attempt’s own reference', async () => {
    const { attempts, started } = attemptsOver({});
    await attempts.start(link, { number: 2, phone: '254712345678' }, proof);
    expect(started).toMatchObject([
      { reference: 'R~2', origin: 'checkout', amountMinor: 25_000n, phone: '254712345678' },
    ]);
  });

  it('requests nothing if the nonce was used by another link or cannot be recorded', async () => {
    const used = attemptsOver({}, { use: () => Promise.resolve(false) });
    const start = (of: typeof used) => of.attempts.start(link, { number: 1, phone: '' }, proof);
    expect(await start(used)).toEqual({ ok: false, refusal: 'used_link' });
    const away = attemptsOver({}, { use: () => Promise.reject(new Error('away')) });
    await expect(start(away)).rejects.toThrow('away');
    expect([...used.started, ...away.started]).toEqual([]);
  });
});
