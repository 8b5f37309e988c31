import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Instant } from '#domain/kernel';
import { isBalanced, type Leg, ledgerAccount } from '#domain/ledger';
import { stateOf } from '#testing';
import { collectionDecider, viewOf } from '../collection.js';
import { listedReferencePattern, referencePattern } from '../initiate/reference.js';
import { possibleDecisions } from '../review/review.decide.js';
import { receivedKey } from './receive-payment.command.js';
import { decideReceivePayment, type ReceivedPayment } from './receive-payment.decide.js';

const received: ReceivedPayment = {
  payment: {
    channel: 'mpesa',
    receipt: 'RKL51ZDR4F',
    amountMinor: 50_000n,
    paidAt: '2026-11-21T09:13:25.000Z' as Instant,
    phoneMasked: '2547*****126',
  },
  account: {
    merchantId: 'm-1',
    mode: 'demo',
    accountNo: '100000001',
    currency: 'KES',
    feeSchedule: { basisPoints: 150, flatMinor: 0n },
    channels: ['mpesa'],
  },
  isNamed: true,
  by: 'callback',
};
const decide = (over: Partial<ReceivedPayment> = {}) =>
  decideReceivePayment({ ...received, ...over }, 'c0ffee');
const stateAfter = (over: Partial<ReceivedPayment> = {}) =>
  stateOf(collectionDecider, decide(over));

describe('a payment without a push whose customer named an account', () => {
  it('is recorded, confirmed and posted by one append, with the account’s fee', () => {
    const arrived = {
      receipt: 'RKL51ZDR4F',
      amountMinor: 50_000n,
      paidAt: '2026-11-21T09:13:25.000Z',
    };
    expect(decide()).toEqual([
      {
        type: 'CollectionIntentRecorded',
        data: {
          merchantId: 'm-1',
          mode: 'demo',
          accountNo: '100000001',
          currency: 'KES',
          amountMinor: 50_000n,
          feeMinor: 750n,
          channel: 'mpesa',
          reference: 'mpesa~RKL51ZDR4F',
          phoneMasked: '2547*****126',
          origin: 'c2b',
        },
      },
      { type: 'RailConfirmed', data: { by: 'callback', resultCode: '0', ...arrived } },
      {
        type: 'WalletPosted',
        data: {
          merchantId: 'm-1',
          mode: 'demo',
          reference: 'mpesa~RKL51ZDR4F',
          accountNo: '100000001',
          currency: 'KES',
          amountMinor: 50_000n,
          feeMinor: 750n,
          legs: [
            { account: 'rail-clearing:mpesa', amountMinor: -50_000n },
            { account: 'wallet:100000001', amountMinor: 49_250n },
            { account: 'fees', amountMinor: 750n },
          ],
          requestCommitment: 'c0ffee',
          railCommitment: 'c0ffee',
        },
      },
    ]);
    expect(viewOf(stateAfter())).toMatchObject({ status: 'completed', amountMinor: 50_000n });
  });

  it('is confirmed by a query if the rail listed it', () => {
    expect(decide({ by: 'query' })[1]).toMatchObject({
      type: 'RailConfirmed',
      data: { by: 'query' },
    });
  });

  it('needs neither a time nor a number', () => {
    const { channel, receipt, amountMinor } = received.payment;
    const [intent, confirmed] = decide({ payment: { channel, receipt, amountMinor } });
    expect(intent?.data).not.toHaveProperty('phoneMasked');
    expect(intent?.data).not.toHaveProperty('phoneHmac');
    expect(confirmed?.data).toEqual({
      by: 'callback',
      resultCode: '0',
      receipt,
      amountMinor,
    });
  });

  it('has a reference that no request of a merchant can have', () => {
    const { reference } = receivedKey(received);
    expect(referencePattern.test(reference)).toBe(false);
    expect(listedReferencePattern.test(reference)).toBe(true);
  });
});

describe('a payment without a push whose customer named no account', () => {
  it('waits in suspense for a person, who gives it to the merchant or returns it', () => {
    expect(decide({ isNamed: false }).map(({ type }) => type)).toEqual([
      'CollectionIntentRecorded',
      'SuspensePosted',
      'ReviewFlagged',
    ]);
    const state = stateAfter({ isNamed: false });
    expect(viewOf(state).status).toBe('pending');
    expect(state).toMatchObject({ questions: ['account_not_named'] });
    expect(possibleDecisions(state)).toEqual(['suspense_to_merchant', 'refunded']);
  });
});

describe('any payment without a push', () => {
  it('has balanced legs without zeros, and the rail holds what the customer paid', () => {
    const payments = fc.record({
      amountMinor: fc.bigInt({ min: 1n, max: 25_000_000n }),
      basisPoints: fc.integer({ min: 0, max: 10_000 }),
      flatMinor: fc.bigInt({ min: 0n, max: 20_000n }),
      isNamed: fc.boolean(),
    });
    fc.assert(
      fc.property(payments, ({ amountMinor, basisPoints, flatMinor, isNamed }) => {
        const payment = { ...received.payment, amountMinor };
        const account = { ...received.account, feeSchedule: { basisPoints, flatMinor } };
        const legs = decide({ payment, account, isNamed }).flatMap(({ data }): readonly Leg[] =>
          'legs' in data ? data.legs : [],
        );
        expect(isBalanced(legs)).toBe(true);
        expect(legs.every((leg) => leg.amountMinor !== 0n)).toBe(true);
        const clearing = legs.find(({ account: of }) => of === ledgerAccount.railClearing('mpesa'));
        expect(clearing?.amountMinor).toBe(-amountMinor);
      }),
    );
  });
});
