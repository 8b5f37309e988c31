import { describe, expect, it } from '@jest/globals';
import { givenFor } from '#testing';
import {
  accepted,
  amountMinor,
  given as stateAfter,
  intent,
  legsOf,
  otherAmount,
  paidReport,
  receipt,
  says,
  reported,
} from '../../test/histories.js';
import { collectionDecider } from '../collection.js';
import { type CollectionEvent } from '../collection.events.js';
import { decideListedReceipt, isOwnPayment } from './listed-receipt.decide.js';

const given = givenFor(collectionDecider, decideListedReceipt);
const flagged = (why: 'second_receipt' | 'receipt_amount_differs') =>
  ({ type: 'ReviewFlagged', data: { why } }) as const;
const recorded = { type: 'RailReceiptRecorded', data: { receipt, amountMinor } } as const;
/** Posted on the answer to a query, which names no receipt. */
const bare = reported([intent, accepted], says({ kind: 'paid', resultCode: '0' }));
const listed = { receipt, amountMinor };

describe('a payment of the rail’s list', () => {
  it('supplies the receipt of a collection that was settled without one, once', () => {
    given(...bare)
      .when(listed)
      .then([recorded]);
    given(...bare, recorded)
      .when(listed)
      .then([]);
  });

  it('with another amount than was posted, or with a second receipt, is flagged for review once', () => {
    const differs = flagged('receipt_amount_differs');
    const other = { ...listed, amountMinor: amountMinor - 1n };
    given(...bare)
      .when(other)
      .then([differs]);
    given(...bare, differs)
      .when(other)
      .then([]);
    const second = { ...listed, receipt: 'SECOND0001' };
    given(...bare, recorded)
      .when(second)
      .then([flagged('second_receipt')]);
    given(...reported([intent, accepted], paidReport()))
      .when(second)
      .then([flagged('second_receipt')]);
  });

  it('is compared with what arrived if that is in suspense', () => {
    given(...otherAmount)
      .when({ receipt, amountMinor: 10_001n })
      .then([]);
    expect(stateAfter(...otherAmount).status).toBe('in_suspense');
  });

  it('does not match what went back under another receipt', () => {
    const [arrived] = otherAmount.slice(-1);
    const legs = legsOf(arrived).map((leg) => ({ ...leg, amountMinor: -leg.amountMinor }));
    const back = (under: object): CollectionEvent => ({
      type: 'SuspenseResolved',
      data: { amountMinor: 10_001n, legs, ...under },
    });
    const refunded = [...otherAmount, back({ receipt })];
    const second = { ...listed, receipt: 'SECOND0001' };
    expect(isOwnPayment(listed, stateAfter(...refunded))).toBe(true);
    expect(isOwnPayment(second, stateAfter(...refunded))).toBe(false);
    given(...refunded)
      .when(listed)
      .then([]);
    given(...refunded)
      .when(second)
      .then([flagged('second_receipt')]);
  });

  it('posts nothing', () => {
    for (const events of [[intent], [intent, accepted]])
      given(...events)
        .when(listed)
        .then([]);
    given().when(listed).then('unknown_collection');
  });

  it('makes a later callback either a repetition or a second receipt', () => {
    const history = [...bare, recorded];
    expect(reported(history, paidReport())).toHaveLength(history.length);
    expect(reported(history, paidReport({ receipt: 'SECOND0001' })).at(-1)).toEqual(
      flagged('second_receipt'),
    );
  });
});
