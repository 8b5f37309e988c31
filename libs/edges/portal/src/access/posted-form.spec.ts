import { describe, expect, it } from '@jest/globals';
import { positiveWhole } from './posted-form.js';

describe('a whole number above zero', () => {
  it.each(['1', '42', '999999999999999999'])('is %s', (text) => {
    expect(positiveWhole(text)).toBe(BigInt(text));
  });

  it.each([
    null,
    undefined,
    '',
    '0',
    '007',
    '-1',
    '+1',
    '1.5',
    '1e3',
    ' 1',
    '0x10',
    '١',
    '1'.repeat(19),
  ])('is not %p', (text) => {
    expect(positiveWhole(text)).toBeUndefined();
  });
});
