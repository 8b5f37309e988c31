import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { instantFromMs } from '#domain/kernel';
import {
  fromEastAfricaDigits,
  fromShillings,
  toEastAfricaDigits,
  toShillings,
} from './notation.js';

describe('an amount for Daraja', () => {
  it.each([
    [25_000n, '250'],
    [25_050n, '250.50'],
    [1n, '0.01'],
    [25_000_000n, '250000'],
  ])('is converted from %p cents to %p', (minor, text) => {
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

describe('East Africa Time', () => {
  it('is three hours ahead, over midnight and the year’s end', () => {
    expect(toEastAfricaDigits(Date.parse('2025-12-31T22:30:05.999Z'))).toBe('20260101013005');
    expect(fromEastAfricaDigits('20191219102115')).toBe('2019-12-19T07:21:15.000Z');
  });

  it.each([
    '20190229102115',
    '20191319102115',
    '20191219252115',
    '2019121910211',
    '',
    'x'.repeat(14),
  ])('does not accept %p as a time', (text) => {
    expect(fromEastAfricaDigits(text)).toBeUndefined();
  });

  it('comes back to the second', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 4e9 }), (seconds) => {
        const digits = toEastAfricaDigits(seconds * 1000);
        expect(fromEastAfricaDigits(digits)).toBe(instantFromMs(seconds * 1000));
      }),
    );
  });
});
