import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { fromShillings, toShillings } from './shillings.js';

describe('an amount for Daraja', () => {
  it.each([
    [25_000n, '250'],
    [25_050n, '250.50'],
    [1n, '0.01'],
    [25_000_000n, '250000'],
  ])('of %p cents is %p', (minor, text) => {
    expect(toShillings(minor)).toBe(text);
  });
});

describe('an amount of Daraja', () => {
  it.each([
    ['1.00', 100n],
    ['250', 25_000n],
    ['250.5', 25_050n],
    ['0.29', 29n],
    ['1.0000', 100n],
  ])('%p is read digit by digit', (text, minor) => {
    expect(fromShillings(text)).toBe(minor);
  });

  it.each(['1e3', '-1', '1.001', '1.', '.5', '', ' 1', '1,000', 'NaN', '0x10', '9'.repeat(13)])(
    '%p is none',
    (text) => {
      expect(fromShillings(text)).toBeUndefined();
    },
  );

  it('is what was sent, for every amount that the rail carries', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 25_000_000n), (minor) => {
        expect(fromShillings(toShillings(minor))).toBe(minor);
      }),
    );
  });
});
