import { type Instant, type Result } from '#kernel';
import { fold } from '#event-sourcing';
import { feeFor, isBalanced, isReturned } from '#ledger';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Collection, collectionDecider } from '../collection.js';
import { type CollectionEvent } from '../collection.events.js';
import { viewOf } from '../collection-view.js';
import { decideConfirmCollection } from '../confirm/confirm-collection.decide.js';
import { type RailsWord, type Verdict } from '../confirm/rails-word.js';
import { decideReview, isSameOperator, possibleDecisions } from './review.decide.js';
import { type Deciders, type Ruling } from './ruling.js';

const amountMinor = 10_000n;
const receipt = 'NLJ7RT61SV';
const paidAt = '2026-11-19T06:15:31.000Z' as Instant;
const schedule = { basisPoints: 150, flatMinor: 0n };
const metadata = {
  v: 1,
  correlationId: 'r-1',
  actor: { kind: 'operator', id: 'joseph' },
  causationId: 'proposal-1',
  commitment: 'c0ffee',
} as const;

const intent: CollectionEvent = {
  type: 'CollectionIntentRecorded',
  data: {
    merchantId: 'm',
    mode: 'demo',
    accountNo: '1001',
    currency: 'KES',
    amountMinor,
    feeMinor: 150n,
    channel: 'mpesa',
    reference: 'INV-1',
    accountReference: 'ABCDEFGHJKMN',
    phoneHmac: 'h',
    phoneMasked: '2547*****678',
    origin: 'v4',
  },
};
const accepted: CollectionEvent = { type: 'RailPushAccepted', data: { railReference: 'ws_1' } };
const silent: CollectionEvent = { type: 'ReviewFlagged', data: { why: 'no_word_from_rail' } };

const given = (...events: CollectionEvent[]): Collection =>
  fold(
    collectionDecider,
    events.map((event) => ({ ...event, metadata })),
  );

const says = (verdict: Verdict): RailsWord => ({ by: 'query', railReference: 'ws_1', verdict });
const paidWord = (over: Partial<Extract<Verdict, { kind: 'paid' }>> = {}): RailsWord =>
  says({ kind: 'paid', resultCode: '0', receipt, amountMinor, paidAt, ...over });
const declinedWord = says({ kind: 'declined', failureCode: 'cancelled' });

/** The history after these words of the rail, each decided as the pipeline would. */
function told(history: readonly CollectionEvent[], ...words: RailsWord[]): CollectionEvent[] {
  const all = [...history];
  for (const word of words) {
    const decision = decideConfirmCollection(word, given(...all), undefined);
    if (decision.ok) all.push(...decision.value);
  }
  return all;
}

const silence = [intent, accepted, silent];
const otherAmount = told([intent, accepted], paidWord({ amountMinor: 10_001n }));
const twice = told([intent, accepted], paidWord(), paidWord({ receipt: 'SECOND0001' }));

const two: Deciders = { reason: 'on the statement', proposedBy: 'asha', confirmedBy: 'joseph' };
const found = { receipt, amountMinor, paidAt };
const decide = (ruling: Ruling, history: readonly CollectionEvent[], deciders = two) =>
  decideReview(ruling, deciders, given(...history), schedule);
const eventsOf = (
  result: Result<readonly CollectionEvent[], string>,
): readonly CollectionEvent[] => {
  if (!result.ok) throw new Error(`refused: ${result.refusal}`);
  return result.value;
};
const refusalOf = (result: Result<unknown, string>) => (result.ok ? 'allowed' : result.refusal);
const legs = (event: CollectionEvent | undefined) =>
  event && 'legs' in event.data ? event.data.legs : [];

describe('an operator finds the payment of a silent push', () => {
  it('posts it as the rail’s own word would, with the decision before it', () => {
    const events = eventsOf(decide({ decision: 'paid', payment: found }, silence));
    expect(events).toMatchObject([
      {
        type: 'ReviewDecided',
        data: {
          decision: 'paid',
          reason: 'on the statement',
          proposedBy: 'asha',
          confirmedBy: 'joseph',
        },
      },
      { type: 'RailConfirmed', data: { by: 'operator', resultCode: '0', ...found } },
      {
        type: 'WalletPosted',
        data: { amountMinor, feeMinor: 150n, requestCommitment: 'c0ffee', reference: 'INV-1' },
      },
    ]);
    expect(isBalanced(legs(events[2]))).toBe(true);
    expect(given(...silence, ...events)).toMatchObject({
      status: 'completed',
      underReview: false,
      postedMinor: amountMinor,
      payment: { receipt, paidAt },
      decidedProposal: 'proposal-1',
    });
  });

  it('holds another amount in suspense, still under review', () => {
    const payment = { receipt, amountMinor: 9_999n };
    const events = eventsOf(decide({ decision: 'paid', payment }, silence));
    expect(events.map(({ type }) => type)).toEqual([
      'ReviewDecided',
      'AmountMismatchRecorded',
      'SuspensePosted',
    ]);
    const state = given(...silence, ...events);
    expect(state).toMatchObject({ status: 'in_suspense', arrivedMinor: 9_999n, underReview: true });
    expect(possibleDecisions(state)).toEqual(['suspense_to_merchant', 'refunded']);
  });

  it('says receipt and amount, and an amount of something', () => {
    expect(refusalOf(decide({ decision: 'paid' }, silence))).toBe('payment_missing');
    const nothing = { ...found, amountMinor: 0n };
    expect(refusalOf(decide({ decision: 'paid', payment: nothing }, silence))).toBe(
      'invalid_amount',
    );
  });
});

describe('an operator finds no payment', () => {
  const alone: Deciders = { reason: 'not on the statement', proposedBy: 'asha' };

  it('ends the collection alone, and money that comes later is posted once', () => {
    const events = eventsOf(decide({ decision: 'failed' }, silence, alone));
    expect(events).toEqual([
      { type: 'ReviewDecided', data: { decision: 'failed', ...alone } },
      { type: 'RailDeclined', data: { by: 'operator', failureCode: 'not_paid' } },
    ]);
    const failed = [...silence, ...events];
    expect(given(...failed)).toMatchObject({ status: 'failed', underReview: false });
    const late = told(failed, paidWord(), paidWord());
    expect(late.filter(({ type }) => type === 'WalletPosted')).toHaveLength(1);
    expect(given(...late)).toMatchObject({ status: 'completed', underReview: false });
  });
});

describe('an operator resolves a suspense', () => {
  it('gives the merchant what arrived, less the fee on it by the terms of now', () => {
    const events = eventsOf(decide({ decision: 'suspense_to_merchant' }, otherAmount));
    expect(events.map(({ type }) => type)).toEqual(['ReviewDecided', 'SuspenseResolved']);
    expect(events[1]?.data).toEqual({
      receipt,
      amountMinor: 10_001n,
      legs: [
        { account: 'suspense', amountMinor: -10_001n },
        { account: 'wallet:1001', amountMinor: 9_851n },
        { account: 'fees', amountMinor: 150n },
      ],
    });
    const state = given(...otherAmount, ...events);
    expect(state).toMatchObject({ status: 'completed', postedMinor: 10_001n, underReview: false });
    expect(viewOf(state)).toMatchObject({ status: 'completed', amountMinor: 10_001n });
  });

  it('waits where the merchant’s terms are not known', () => {
    const ruling: Ruling = { decision: 'suspense_to_merchant' };
    const result = decideReview(ruling, two, given(...otherAmount), undefined);
    expect(refusalOf(result)).toBe('unknown_account');
  });

  it('sends it back: failed to the merchant, and the same money’s word posts nothing more', () => {
    const events = eventsOf(decide({ decision: 'refunded' }, otherAmount));
    expect(events[1]?.data).toEqual({
      receipt,
      amountMinor: 10_001n,
      legs: [
        { account: 'suspense', amountMinor: -10_001n },
        { account: 'rail-clearing:mpesa', amountMinor: 10_001n },
      ],
    });
    const refunded = [...otherAmount, ...events];
    expect(viewOf(given(...refunded))).toMatchObject({ status: 'failed', amountMinor });
    const saysPaid = says({ kind: 'paid', resultCode: '0' });
    expect(told(refunded, paidWord({ amountMinor: 10_001n }), saysPaid, declinedWord)).toEqual(
      refunded,
    );
    const other = told(refunded, paidWord({ receipt: 'SECOND0001' }));
    expect(other.at(-1)).toMatchObject({ type: 'ReviewFlagged', data: { why: 'second_receipt' } });
    expect(possibleDecisions(given(...other))).toEqual(['refunded']);
  });
});

describe('an operator closes the review of a completed collection', () => {
  it.each([['paid'], ['refunded']] as const)('as %s, with the decision alone', (decision) => {
    const events = eventsOf(decide({ decision }, twice));
    expect(events.map(({ type }) => type)).toEqual(['ReviewDecided']);
    expect(given(...twice, ...events)).toMatchObject({
      status: 'completed',
      postedMinor: amountMinor,
      underReview: false,
    });
  });

  it('and is told that a receipt would not be posted', () => {
    const ruling: Ruling = { decision: 'paid', payment: found };
    expect(refusalOf(decide(ruling, twice))).toBe('payment_not_asked');
  });
});

describe('the rail’s word ends the review of its silence', () => {
  it.each([
    ['paid', paidWord(), 'completed'],
    ['declined', declinedWord, 'failed'],
  ] as const)('%s', (_what, word, status) => {
    expect(given(...told(silence, word))).toMatchObject({ status, underReview: false });
  });

  it('another amount keeps it under review, for that', () => {
    const held = told(silence, paidWord({ amountMinor: 1n }));
    expect(given(...held)).toMatchObject({ status: 'in_suspense', underReview: true });
  });
});

describe('refused', () => {
  const rulings: readonly Ruling[] = [
    { decision: 'paid', payment: found },
    { decision: 'failed' },
    { decision: 'suspense_to_merchant' },
    { decision: 'refunded' },
  ];
  const inTurn = (history: readonly CollectionEvent[]) =>
    rulings.map((ruling) => refusalOf(decide(ruling, history)));

  it.each([
    ['no such collection', [], 'unknown_collection'],
    ['the rail is still being asked', [intent, accepted], 'not_under_review'],
    ['nothing is in doubt', told([intent, accepted], paidWord()), 'not_under_review'],
    ['declined', told([intent, accepted], declinedWord), 'not_under_review'],
  ])('whatever the decision where %s', (_what, history, refusal) => {
    expect(inTurn(history)).toEqual([refusal, refusal, refusal, refusal]);
  });

  it('where the decision is not of the collection’s state', () => {
    const no = 'not_possible';
    expect(inTurn(silence)).toEqual(['allowed', 'allowed', no, no]);
    expect(inTurn(otherAmount)).toEqual([no, no, 'allowed', 'allowed']);
    expect(inTurn(twice)).toEqual(['payment_not_asked', no, no, 'allowed']);
  });

  it.each([
    [{ proposedBy: 'asha' }, 'second_operator_needed'],
    [{ proposedBy: 'asha', confirmedBy: ' ASHA' }, 'same_operator'],
    [{ proposedBy: 'Asha N', confirmedBy: 'asha  n' }, 'same_operator'],
  ])('where money moves by one operator’s word: %j', (who, refusal) => {
    const deciders = { reason: 'r', ...who };
    const ruling: Ruling = { decision: 'paid', payment: found };
    expect(refusalOf(decide(ruling, silence, deciders))).toBe(refusal);
    expect(refusalOf(decide({ decision: 'refunded' }, otherAmount, deciders))).toBe(refusal);
    expect(refusalOf(decide({ decision: 'paid' }, twice, deciders))).toBe(refusal);
  });

  it('two people with names that differ are two people', () => {
    expect(isSameOperator('asha', 'ashu')).toBe(false);
  });
});

describe('any order of words, silence and decisions', () => {
  const amounts = fc.constantFrom(1n, 9_999n, amountMinor, 10_001n);
  const words = fc.oneof(
    fc.record({ receipt: fc.constantFrom('R1', 'R2'), amountMinor: amounts }).map(paidWord),
    fc.constant(says({ kind: 'paid', resultCode: '0' })),
    fc.constant(declinedWord),
  );
  const rulings: fc.Arbitrary<Ruling> = fc.oneof(
    fc
      .record({ receipt: fc.constantFrom('R1', 'R3'), amountMinor: amounts })
      .map((payment) => ({ decision: 'paid' as const, payment })),
    fc
      .constantFrom('paid', 'failed', 'suspense_to_merchant', 'refunded')
      .map((decision) => ({ decision }) as const),
  );
  const steps = fc.array(
    fc.oneof(
      words.map((word) => ({ word })),
      rulings.map((ruling) => ({ ruling })),
      fc.constant({ silence: true }),
    ),
    { maxLength: 14 },
  );
  const fees = fc.record({
    basisPoints: fc.integer({ min: 0, max: 10_000 }),
    flatMinor: fc.bigInt({ min: 0n, max: 20_000n }),
  });

  it('posts at most once, balances, empties the suspense, and never undoes a posting', () => {
    fc.assert(
      fc.property(steps, fees, (sequence, feeSchedule) => {
        let history: CollectionEvent[] = [intent, accepted];
        for (const step of sequence) {
          const state = given(...history);
          if ('word' in step) history = told(history, step.word);
          else if ('ruling' in step) {
            const decision = decideReview(step.ruling, two, state, feeSchedule);
            if (decision.ok) history.push(...decision.value);
          } else if (state.status === 'pending' && !state.underReview) history.push(silent);
        }
        expectInvariants(history, feeSchedule);
      }),
      { numRuns: 3_000 },
    );
  });

  function expectInvariants(
    history: readonly CollectionEvent[],
    feeSchedule: typeof schedule,
  ): void {
    const state = given(...history);
    const moves = history.filter((event) => 'legs' in event.data);
    expect(moves.every((event) => isBalanced(legs(event)))).toBe(true);
    expect(moves.every((event) => legs(event).every((leg) => leg.amountMinor !== 0n))).toBe(true);
    const postings = moves.filter(
      ({ type, data }) =>
        type === 'WalletPosted' ||
        (type === 'SuspenseResolved' && 'legs' in data && !isReturned(data.legs)),
    );
    expect(postings.length).toBe(state.status === 'completed' ? 1 : 0);
    const sum = (account: string): bigint =>
      moves
        .flatMap((event) => [...legs(event)])
        .filter((leg) => leg.account === account)
        .reduce((total, leg) => total + leg.amountMinor, 0n);
    expect(sum('suspense')).toBe(state.status === 'in_suspense' ? state.arrivedMinor : 0n);
    if (state.status !== 'completed') expect(sum('wallet:1001')).toBe(0n);
    if (state.status === 'refunded') expect(sum('rail-clearing:mpesa')).toBe(0n);
    if (state.status === 'in_suspense') expect(state.underReview).toBe(true);
    if (state.status === 'completed' && postings[0]?.type === 'SuspenseResolved') {
      const fee = feeFor(feeSchedule, state.postedMinor);
      expect(sum('wallet:1001')).toBe(state.postedMinor - fee);
    }
  }
});
