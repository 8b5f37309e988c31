import { describe, expect, it } from '@jest/globals';
import { type Instant } from '#domain/kernel';
import { suspenseReturnLegs } from '#domain/ledger';
import { type Account } from '#domain/merchants';
import { railAmount } from '#domain/rails';
import { givenFor, stateOf } from '#testing';
import { collectionDecider, viewOf } from '../collection.js';
import { type CollectionEvent } from '../collection.events.js';
import { referencePattern } from '../initiate/reference.js';
import { intent as pushIntent } from '../../test/histories.js';
import {
  decideExpectPayment,
  decideReceiveExpected,
  expectedReferencePattern,
  moneyIn,
  typedAccount,
} from './expect-payment.decide.js';

const account: Account = {
  merchantId: 'm-1',
  mode: 'demo',
  accountNo: '100000001',
  currency: 'KES',
  feeSchedule: { basisPoints: 150, flatMinor: 0n },
  channels: ['mpesa'],
};
const limits = { maxMinor: 25_000_000n, stepMinor: 1n, currencies: ['KES'] };
const amount = railAmount(limits, 25_000n, 'KES');
if (!amount.ok) throw new Error(amount.refusal);
const [intent] = decideExpectPayment({
  account,
  amountMinor: amount.value,
  channel: 'mpesa',
  reference: 'INV7',
});
const payment = {
  channel: 'mpesa',
  receipt: 'RKL51ZDR4F',
  amountMinor: 25_000n,
  paidAt: '2026-11-21T09:13:25.000Z' as Instant,
};
const received = { payment, account, by: 'callback' as const };
const given = givenFor(collectionDecider, (of: typeof received, state) =>
  decideReceiveExpected(of, state, 'c0ffee'),
);
const afterPaid = (of = received): readonly CollectionEvent[] => {
  const decided = decideReceiveExpected(of, stateOf(collectionDecider, [intent]), 'c0ffee');
  return decided.ok ? [intent, ...decided.value] : [];
};

describe('an expected payment', () => {
  it('is an intent without number, code or push', () => {
    expect(intent).toEqual({
      type: 'CollectionIntentRecorded',
      data: {
        merchantId: 'm-1',
        mode: 'demo',
        accountNo: '100000001',
        currency: 'KES',
        amountMinor: 25_000n,
        feeMinor: 375n,
        channel: 'mpesa',
        reference: 'INV7',
        origin: 'c2b',
      },
    });
    expect(viewOf(stateOf(collectionDecider, [intent])).status).toBe('pending');
  });

  it('is posted once when it is paid', () => {
    expect(afterPaid().map(({ type }) => type)).toEqual([
      'CollectionIntentRecorded',
      'RailConfirmed',
      'WalletPosted',
    ]);
    given(...afterPaid())
      .when(received)
      .then([]);
  });

  it('goes to suspense if its amount differs', () => {
    const other = { ...received, payment: { ...payment, amountMinor: 24_000n } };
    expect(afterPaid(other).map(({ type }) => type)).toEqual([
      'CollectionIntentRecorded',
      'AmountMismatchRecorded',
      'SuspensePosted',
    ]);
    given(...afterPaid(other))
      .when(other)
      .then([]);
  });

  it('is not expected again once it is paid, nor for another account', () => {
    const second = { ...received, payment: { ...payment, receipt: 'RKL0000002' } };
    given(...afterPaid())
      .when(second)
      .then('not_expected');
    given(intent)
      .when({ ...received, account: { ...account, accountNo: '100000002' } })
      .then('not_expected');
    given().when(received).then('not_expected');
  });

  it('accepts the money of one receipt only, even after that money was sent back', () => {
    const other = { ...received, payment: { ...payment, amountMinor: 24_000n } };
    const legs = suspenseReturnLegs({ rail: 'mpesa', amountMinor: 24_000n });
    const sentBack: CollectionEvent = {
      type: 'SuspenseResolved',
      data: { receipt: payment.receipt, amountMinor: 24_000n, legs },
    };
    const second = { ...received, payment: { ...payment, receipt: 'RKL0000002' } };
    const histories = [afterPaid(), afterPaid(other), [...afterPaid(other), sentBack]];
    for (const history of histories) {
      const state = stateOf(collectionDecider, history);
      expect(moneyIn(state, payment.receipt)).toBe('this');
      expect(moneyIn(state, second.payment.receipt)).toBe('other');
      given(...history)
        .when(second)
        .then('not_expected');
    }
    expect(moneyIn(stateOf(collectionDecider, [intent]), payment.receipt)).toBe('none');
  });

  it('is no collection that a push asked for', () => {
    given(pushIntent).when(received).then('not_expected');
  });
});

describe('the reference of an expected payment', () => {
  it('fits behind the account number into what M-Pesa takes', () => {
    expect(typedAccount('1234567890', 'A12345678')).toBe('1234567890 A12345678');
    expect(typedAccount('12345678901', 'A12345678')).toBeUndefined();
  });

  it.each(['INV7', 'A.B/C-9', 'A12345678'])('may be %s, as a collection’s may', (text) => {
    expect(expectedReferencePattern.test(text)).toBe(true);
    expect(referencePattern.test(text)).toBe(true);
  });

  it.each(['', 'inv7', '-7', '7', '7A', 'A123456789', 'A B', 'A~2', 'INV_7'])(
    'may not be %j',
    (text) => {
      expect(expectedReferencePattern.test(text)).toBe(false);
    },
  );
});
