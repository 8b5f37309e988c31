import { describe, expect, it } from '@jest/globals';
import { type DecidedMoney, decisionMoney } from './decision-money.js';

const requested: DecidedMoney = {
  type: 'collection',
  decision: 'paid',
  namedMinor: 10_000n,
  requestedMinor: 10_000n,
  requestedFeeMinor: 150n,
  heldMinor: null,
  fees: { basisPoints: 250, flatMinor: 7n },
};

describe('the money of a decision', () => {
  it.each<[string, Partial<DecidedMoney>, ReturnType<typeof decisionMoney>]>([
    [
      'a paid collection pays the fee that its request fixed',
      {},
      { kind: 'to_wallet', amountMinor: 10_000n, feeMinor: 150n, walletMinor: 9_850n },
    ],
    [
      'another amount is held without a fee',
      { namedMinor: 10_001n },
      { kind: 'held', amountMinor: 10_001n },
    ],
    [
      'money from suspense pays the fee of today on the amount that arrived',
      { decision: 'suspense_to_merchant', namedMinor: null, heldMinor: 10_001n },
      { kind: 'to_wallet', amountMinor: 10_001n, feeMinor: 257n, walletMinor: 9_744n },
    ],
    [
      'a fee above the amount leaves the wallet nothing',
      {
        decision: 'suspense_to_merchant',
        heldMinor: 5n,
        fees: { basisPoints: 0, flatMinor: 7n },
      },
      { kind: 'to_wallet', amountMinor: 5n, feeMinor: 5n, walletMinor: 0n },
    ],
    [
      'a fee that cannot be read is not guessed',
      { decision: 'suspense_to_merchant', heldMinor: 10_001n, fees: undefined },
      { kind: 'fee_unknown', amountMinor: 10_001n },
    ],
    [
      'a payout takes its fee as well',
      { type: 'payout' },
      { kind: 'from_wallet', amountMinor: 10_000n, feeMinor: 150n, walletMinor: 10_150n },
    ],
    ['a posting that is right moves nothing', { namedMinor: null }, undefined],
    ['a failed item moves nothing', { decision: 'failed', namedMinor: null }, undefined],
    ['money that goes back to the customer pays no fee', { decision: 'refunded' }, undefined],
  ])('%s', (_name, of, money) => {
    expect(decisionMoney({ ...requested, ...of })).toEqual(money);
  });
});
