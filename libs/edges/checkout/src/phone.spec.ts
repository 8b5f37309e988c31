import { describe, expect, it } from '@jest/globals';
import { nationalPhone, parseTypedPhone } from './phone.js';

describe('a phone number', () => {
  it.each([
    ...['0712345678', '254712345678', '+254712345678', '0712 345 678', '+254 (712) 345-678'],
    '0712.345.678',
  ])('%s is read as people write it', (text) => {
    expect(parseTypedPhone(text)).toBe('254712345678');
    expect(nationalPhone(text)).toBe('0712345678');
  });

  it('may begin with 01', () => {
    expect(parseTypedPhone('0112345678')).toBe('254112345678');
  });

  it.each([
    ...[
      '',
      '712345678',
      '0812345678',
      '07123456789',
      '071234567',
      '00254712345678',
      '2540712345678',
    ],
    ...[
      '٠٧١٢٣٤٥٦٧٨',
      '０７１２３４５６７８',
      '0712345678x',
      '++254712345678',
      '0712345678;0712345679',
    ],
  ])('%s is none', (text) => {
    expect(parseTypedPhone(text)).toBeUndefined();
    expect(nationalPhone(text)).toBe('');
  });
});
