import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { minorFromShillings, shillingsFromMinor } from './amount.js';

describe('an amount in shillings', () => {
  it('is read back as it was written, cent by cent', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 99_999_999_999n }), (minor) => {
        expect(minorFromShillings(shillingsFromMinor(minor))).toBe(minor);
      }),
    );
  });

  it.each([
    ['1', 100n],
    ['1.5', 150n],
    ['0.05', 5n],
    ['250000.00', 25_000_000n],
  ])('%s is %d cents', (text, minor) => {
    expect(minorFromShillings(text)).toBe(minor);
  });

  it.each(['', '-1', '+1', '1.', '.5', '1.005', '1e2', '1,000', ' 1'])('%p is none', (text) => {
    expect(minorFromShillings(text)).toBeUndefined();
  });
});
