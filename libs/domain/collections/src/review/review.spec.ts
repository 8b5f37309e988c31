import { type Result } from '#domain/kernel';
import { isBalanced } from '#domain/ledger';
import { describe, expect, it } from '@jest/globals';
import {
  accepted,
  amountMinor,
  declinedReport,
  given,
  intent,
  legsOf,
  otherAmount,
  paidAt,
  paidReport,
  receipt,
  says,
  timeouts,
  reported,
  twice,
} from '../../test/histories.js';
import { type Deciders, isSameOperator, type Ruling } from '#domain/reviews';
import { type CollectionEvent } from '../collection.events.js';
import { viewOf } from '../collection.js';
import { decideReview, possibleDecisions } from './review.decide.js';

const schedule = { basisPoints: 150, flatMinor: 0n };
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

describe('a payment of another checkout than the push’s own', () => {
  const other = { ...says({ kind: 'paid', resultCode: '0' }), railReference: 'ws_other' };
  const flag = { type: 'ReviewFlagged', data: { why: 'other_checkout' } };

  it.each([
    ['pending', [intent, accepted]],
    ['failed', reported([intent, accepted], declinedReport)],
    ['completed', reported([intent, accepted], paidReport())],
  ])('posts nothing and is flagged once if the collection is %s', (_, history) => {
    for (const report of [
      other,
      { ...other, by: 'callback', fromRail: true, corroborated: true } as const,
    ])
      expect(reported(history, report, report).slice(history.length)).toEqual([flag]);
    const declined = { ...declinedReport, railReference: 'ws_other' };
    expect(reported(history, declined)).toEqual(history);
  });

  it('is flagged once to the person who decides on money in suspense', () => {
    expect(reported(otherAmount, other, other).slice(otherAmount.length)).toEqual([flag]);
  });

  it('is posted if two operators find that it was this customer’s, even after the collection failed', () => {
    const failed = reported([intent, accepted], declinedReport, other);
    const payment = { receipt, amountMinor };
    const events = eventsOf(decide({ decision: 'paid', payment }, failed));
    expect(events.map(({ type }) => type)).toEqual([
      'ReviewDecided',
      'RailConfirmed',
      'WalletPosted',
    ]);
    expect(eventsOf(decide({ decision: 'failed' }, failed))).toHaveLength(1);
    expect(given(...failed, ...events)).toMatchObject({ status: 'completed', underReview: false });
  });
});

describe('an operator finds the payment of a silent push', () => {
  it('posts it as the rail’s own report would, with the decision before it', () => {
    const events = eventsOf(decide({ decision: 'paid', payment: found }, timeouts));
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
    expect(isBalanced(legsOf(events[2]))).toBe(true);
    expect(given(...timeouts, ...events)).toMatchObject({
      status: 'completed',
      underReview: false,
      postedMinor: amountMinor,
      payment: { receipt, paidAt },
      decidedProposal: 'proposal-1',
    });
  });

  it('keeps another amount in suspense, still under review', () => {
    const payment = { receipt, amountMinor: 9_999n };
    const events = eventsOf(decide({ decision: 'paid', payment }, timeouts));
    expect(events.map(({ type }) => type)).toEqual([
      'ReviewDecided',
      'AmountMismatchRecorded',
      'SuspensePosted',
    ]);
    const state = given(...timeouts, ...events);
    expect(state).toMatchObject({ status: 'in_suspense', arrivedMinor: 9_999n, underReview: true });
    expect(possibleDecisions(state)).toEqual(['suspense_to_merchant', 'refunded']);
  });

  it('must give a receipt and an amount above zero', () => {
    expect(refusalOf(decide({ decision: 'paid' }, timeouts))).toBe('payment_missing');
    const nothing = { ...found, amountMinor: 0n };
    expect(refusalOf(decide({ decision: 'paid', payment: nothing }, timeouts))).toBe(
      'invalid_amount',
    );
  });
});

describe('an operator finds no payment', () => {
  const alone: Deciders = { reason: 'not on the statement', proposedBy: 'asha' };

  it('ends the collection alone, and money that comes later is posted once', () => {
    const events = eventsOf(decide({ decision: 'failed' }, timeouts, alone));
    expect(events).toEqual([
      { type: 'ReviewDecided', data: { decision: 'failed', ...alone } },
      { type: 'RailDeclined', data: { by: 'operator', failureCode: 'not_paid' } },
    ]);
    const failed = [...timeouts, ...events];
    expect(given(...failed)).toMatchObject({ status: 'failed', underReview: false });
    const late = reported(failed, paidReport(), paidReport());
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
      paidAt,
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

  it('is refused if the merchant’s terms are not known', () => {
    const ruling: Ruling = { decision: 'suspense_to_merchant' };
    const result = decideReview(ruling, two, given(...otherAmount), undefined);
    expect(refusalOf(result)).toBe('unknown_account');
  });

  it('sends it back: failed to the merchant, and later reports of that money post nothing more', () => {
    const events = eventsOf(decide({ decision: 'refunded' }, otherAmount));
    expect(events[1]?.data).toEqual({
      receipt,
      amountMinor: 10_001n,
      paidAt,
      legs: [
        { account: 'suspense', amountMinor: -10_001n },
        { account: 'rail-clearing:mpesa', amountMinor: 10_001n },
      ],
    });
    const refunded = [...otherAmount, ...events];
    expect(viewOf(given(...refunded))).toMatchObject({ status: 'failed', amountMinor });
    const saysPaid = says({ kind: 'paid', resultCode: '0' });
    expect(
      reported(refunded, paidReport({ amountMinor: 10_001n }), saysPaid, declinedReport),
    ).toEqual(refunded);
    const other = reported(refunded, paidReport({ receipt: 'SECOND0001' }));
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

  it('and cannot give a receipt, which would not be posted', () => {
    const ruling: Ruling = { decision: 'paid', payment: found };
    expect(refusalOf(decide(ruling, twice))).toBe('payment_not_asked');
  });
});

describe('the rail’s report ends the review of a timeout', () => {
  it.each([
    ['paid', paidReport(), 'completed'],
    ['declined', declinedReport, 'failed'],
  ] as const)('%s', (_what, report, status) => {
    expect(given(...reported(timeouts, report))).toMatchObject({ status, underReview: false });
  });

  it('but another amount keeps it under review', () => {
    const held = reported(timeouts, paidReport({ amountMinor: 1n }));
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
    ['nothing is in doubt', reported([intent, accepted], paidReport()), 'not_under_review'],
    ['declined', reported([intent, accepted], declinedReport), 'not_under_review'],
  ])('for any decision: %s', (_what, history, refusal) => {
    expect(inTurn(history)).toEqual([refusal, refusal, refusal, refusal]);
  });

  it('if the decision does not fit the collection’s state', () => {
    const no = 'not_possible';
    expect(inTurn(timeouts)).toEqual(['allowed', 'allowed', no, no]);
    expect(inTurn(otherAmount)).toEqual([no, no, 'allowed', 'allowed']);
    expect(inTurn(twice)).toEqual(['payment_not_asked', no, no, 'allowed']);
  });

  it.each([
    [{ proposedBy: 'asha' }, 'second_operator_needed'],
    [{ proposedBy: 'asha', confirmedBy: ' ASHA' }, 'same_operator'],
    [{ proposedBy: 'Asha N', confirmedBy: 'asha  n' }, 'same_operator'],
  ])('if money would move by one operator’s decision: %j', (who, refusal) => {
    const deciders = { reason: 'r', ...who };
    const ruling: Ruling = { decision: 'paid', payment: found };
    expect(refusalOf(decide(ruling, timeouts, deciders))).toBe(refusal);
    expect(refusalOf(decide({ decision: 'refunded' }, otherAmount, deciders))).toBe(refusal);
    expect(refusalOf(decide({ decision: 'paid' }, twice, deciders))).toBe(refusal);
  });

  it('two people with names that differ are two people', () => {
    expect(isSameOperator('asha', 'ashu')).toBe(false);
  });
});
