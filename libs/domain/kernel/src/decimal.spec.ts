import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { decimalFromMinor, minorFromDecimal } from './money.js';

describe('a decimal in minor units', () => {
  it('is exact for every text of up to thirteen digits and two decimals', () => {
    const digits = (least: number, max: number) =>
      fc.stringMatching(new RegExp(`^[0-9]{${least},${max}}$`));
    fc.assert(
      fc.property(digits(1, 13), fc.option(digits(1, 2), { nil: undefined }), (whole, decimals) => {
        const text = decimals === undefined ? whole : `${whole}.${decimals}`;
        const cents = BigInt((decimals ?? '0').padEnd(2, '0'));
        expect(minorFromDecimal(text)).toBe(BigInt(whole) * 100n + cents);
      }),
    );
  });

  it('comes back the same from its own text', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 999_999_999_999_999n }), (minor) => {
        expect(minorFromDecimal(decimalFromMinor(minor))).toBe(minor);
      }),
    );
  });

  it.each([
    ['', 'nothing'],
    ['1e3', 'an exponent'],
    ['.5', 'no whole part'],
    ['5.', 'no decimals after the point'],
    ['1.234', 'a third decimal'],
    ['-1.00', 'a sign'],
    ['+1.00', 'a sign'],
    ['1,000.00', 'a separator'],
    [' 1.00', 'a space'],
    ['1.00\n', 'a line break'],
    ['１.００', 'full-width digits'],
    ['٢٥٠', 'digits of another script'],
    ['0x10', 'another base'],
    ['12345678901234', 'fourteen digits'],
    ['NaN', 'a word'],
  ])('is none in %j: %s', (text) => {
    expect(minorFromDecimal(text)).toBeUndefined();
  });

  it('ignores leading zeros', () => {
    expect(minorFromDecimal('01.00')).toBe(100n);
  });
});

describe('minor units as a decimal', () => {
  it.each([
    [0n, '0.00'],
    [5n, '0.05'],
    [-5n, '-0.05'],
    [-100n, '-1.00'],
    [123_450n, '1234.50'],
    [10n ** 40n + 7n, `1${'0'.repeat(38)}.07`],
  ])('%s is %s', (minor, text) => {
    expect(decimalFromMinor(minor)).toBe(text);
  });

  it('has two decimals and every digit, at any size and below nought', () => {
    fc.assert(
      fc.property(fc.bigInt(), (minor) => {
        const text = decimalFromMinor(minor);
        expect(text).toMatch(/^-?(0|[1-9][0-9]*)\.[0-9]{2}$/);
        expect(BigInt(text.replace('.', ''))).toBe(minor);
      }),
    );
  });
});
