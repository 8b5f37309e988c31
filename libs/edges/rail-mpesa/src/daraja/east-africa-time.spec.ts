import { describe, expect, it } from '@jest/globals';
import { instantFromMs } from '#domain/kernel';
import fc from 'fast-check';
import { fromEastAfricaDigits, toEastAfricaDigits } from './east-africa-time.js';

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
  ])('does not take %p for a time', (text) => {
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
