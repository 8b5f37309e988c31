import { describe, expect, it } from '@jest/globals';
import { readFailureAddress } from './failure-address.js';

describe('the address for failures', () => {
  it.each([
    'dev@shop.example',
    'on-call+pesapost@mail.shop.co.ke',
    "o'brien_2@a-b.example",
    `${'a'.repeat(64)}@shop.example`,
  ])('is one plain address: %s', (text) => {
    expect(readFailureAddress(text)).toEqual({ ok: true, value: text });
  });

  it('may be empty', () => {
    expect(readFailureAddress('')).toEqual({ ok: true, value: undefined });
  });

  it.each([
    'dev',
    'dev@shop',
    '@shop.example',
    'dev@@shop.example',
    'dev@shop.example\r\nBcc: all@shop.example',
    'dev\n@shop.example',
    'dev@shop.example\n',
    'a@shop.example,b@shop.example',
    'a@shop.example;b@shop.example',
    'a@shop.example b@shop.example',
    'Dev <dev@shop.example>',
    '"dev"@shop.example',
    'dev(x)@shop.example',
    'dev@[127.0.0.1]',
    'dev%relay@shop.example',
    'dev!relay@shop.example',
    '.dev@shop.example',
    'd..ev@shop.example',
    'dev.@shop.example',
    'dev@-shop.example',
    'dev@shop..example',
    'dev@shop.example.',
    'dév@shop.example',
    `${'a'.repeat(65)}@shop.example`,
    'dev@shop.example\0',
  ])('is refused if it could be more or other than that: %j', (text) => {
    expect(readFailureAddress(text)).toEqual({ ok: false, refusal: 'no_address' });
  });

  it('has at most 254 characters', () => {
    const domain = `${'d'.repeat(60)}.`.repeat(4);
    expect(readFailureAddress(`${'a'.repeat(4)}@${domain}exam`)).toMatchObject({ ok: true });
    expect(readFailureAddress(`${'a'.repeat(20)}@${domain}exam`)).toEqual({
      ok: false,
      refusal: 'address_too_long',
    });
  });
});
