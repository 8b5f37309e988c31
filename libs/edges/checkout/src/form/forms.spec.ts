import { Keyring } from '#shared/signing';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { describe, expect, it } from '@jest/globals';
import { type CheckoutLink } from '../link/checkout-link.js';
import { CheckoutOptions, Forms } from './forms.js';

const [oldKey, newKey] = [
  { id: 'old', bytes: Buffer.alloc(32, 1) },
  { id: 'new', bytes: Buffer.alloc(32, 2) },
];
const forms = (...keys: (typeof oldKey)[]): Forms =>
  new Forms(Keyring.from(keys), new CheckoutOptions('http://127.0.0.1:8080'));
const from = (visitor: string): FastifyRequest =>
  ({ headers: { cookie: `checkout=${visitor.repeat(43)}` } }) as FastifyRequest;
const reply = {} as FastifyReply;
const link = { key: { credentialId: 'c' }, hash: 'h' } as CheckoutLink;
const purpose = { link, attempt: 1 };

describe('a form of the checkout page', () => {
  it('is accepted by each replica while the master key is rotated, regardless of which key is first there', () => {
    const [before, after] = [forms(oldKey, newKey), forms(newKey, oldKey)];
    const tokens = [before, after].map((each) => each.token(from('a'), reply, purpose));
    for (const each of [before, after])
      expect(tokens.map((token) => each.gave(from('a'), token, purpose))).toEqual([true, true]);
    expect(tokens.map((token) => forms(newKey).gave(from('a'), token, purpose))).toEqual([
      false,
      true,
    ]);
  });

  it('is rejected from another browser, link or attempt', () => {
    const given = forms(oldKey);
    const token = given.token(from('a'), reply, purpose);
    expect(given.gave(from('b'), token, purpose)).toBe(false);
    expect(given.gave(from('a'), token, { link, attempt: 2 })).toBe(false);
    const other = { ...link, hash: 'g' } as CheckoutLink;
    expect(given.gave(from('a'), token, { link: other, attempt: 1 })).toBe(false);
  });
});
