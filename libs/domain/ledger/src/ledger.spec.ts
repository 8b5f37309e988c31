import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  collectionLegs,
  feeFor,
  feeOf,
  isBalanced,
  isReturned,
  suspenseLegs,
  suspenseReturnLegs,
  suspenseToWalletLegs,
} from './index.js';

const amount = fc.bigInt({ min: 1n, max: 10n ** 18n });
const schedule = fc.record({
  basisPoints: fc.integer({ min: 0, max: 10_000 }),
  flatMinor: fc.bigInt({ min: 0n, max: 10n ** 9n }),
});

describe('the fee', () => {
  it.each([
    [150, 0n, 10_000n, 150n],
    [150, 0n, 33n, 0n],
    [150, 0n, 34n, 1n],
    [50, 0n, 100n, 1n],
    [49, 0n, 100n, 0n],
    [0, 500n, 200n, 200n],
    [10_000, 1n, 77n, 77n],
  ])('for %d basis points and %d flat on %d is %d', (basisPoints, flatMinor, on, fee) => {
    expect(feeFor({ basisPoints, flatMinor }, on)).toBe(fee);
  });

  it('is never negative, never above the amount, and never falls as the amount rises', () => {
    fc.assert(
      fc.property(schedule, amount, amount, (fees, a, b) => {
        const [low, high] = a < b ? [a, b] : [b, a];
        const [feeOnLow, feeOnHigh] = [feeFor(fees, low), feeFor(fees, high)];
        return feeOnLow >= 0n && feeOnLow <= low && feeOnHigh <= high && feeOnLow <= feeOnHigh;
      }),
    );
  });

  it('rounds the proportional part half-up: within half a unit of the exact value, ties upwards', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10_000 }), amount, (basisPoints, on) => {
        const exactTimes10000 = on * BigInt(basisPoints);
        const error = feeFor({ basisPoints, flatMinor: 0n }, on) * 10_000n - exactTimes10000;
        return error > -5_000n && error <= 5_000n;
      }),
    );
  });
});

describe('legs', () => {
  it('are those of the contract’s example', () => {
    const posting = { rail: 'mpesa', accountNo: '1001', amountMinor: 10_000n, feeMinor: 150n };
    expect(collectionLegs(posting)).toEqual([
      { account: 'rail-clearing:mpesa', amountMinor: -10_000n },
      { account: 'wallet:1001', amountMinor: 9_850n },
      { account: 'fees', amountMinor: 150n },
    ]);
  });

  it('always sum to zero and never contain a leg of nothing', () => {
    fc.assert(
      fc.property(amount, schedule, (amountMinor, fees) => {
        const feeMinor = feeFor(fees, amountMinor);
        const collection = collectionLegs({ rail: 'mpesa', accountNo: '1', amountMinor, feeMinor });
        const suspense = suspenseLegs({ rail: 'mpesa', amountMinor });
        const resolved = suspenseToWalletLegs({ accountNo: '1', amountMinor, feeMinor });
        const returned = suspenseReturnLegs({ rail: 'mpesa', amountMinor });
        return [collection, suspense, resolved, returned].every(
          (legs) => isBalanced(legs) && legs.every((leg) => leg.amountMinor !== 0n),
        );
      }),
    );
  });

  it('for a resolved suspense show its destination and the fee, even one that took everything', () => {
    fc.assert(
      fc.property(amount, schedule, (amountMinor, fees) => {
        const feeMinor = feeFor(fees, amountMinor);
        const resolved = suspenseToWalletLegs({ accountNo: '1', amountMinor, feeMinor });
        const returned = suspenseReturnLegs({ rail: 'mpesa', amountMinor });
        return (
          !isReturned(resolved) &&
          isReturned(returned) &&
          feeOf(resolved) === feeMinor &&
          feeOf(returned) === 0n
        );
      }),
    );
  });
});
