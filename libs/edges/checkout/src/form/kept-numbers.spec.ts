import { Keyring } from '#shared/signing';
import { type FastifyReply, type FastifyRequest } from 'fastify';
import { describe, expect, it } from '@jest/globals';
import { type CheckoutLink } from '../link/checkout-link.js';
import { CheckoutOptions, Forms } from './forms.js';
import { KeptNumbers } from './kept-numbers.js';

const [oldKey, newKey] = [
  { id: 'old', bytes: Buffer.alloc(32, 1) },
  { id: 'new', bytes: Buffer.alloc(32, 2) },
];
const link = { key: { credentialId: 'c' }, hash: 'h' } as CheckoutLink;
const otherLink = { ...link, hash: 'g' } as CheckoutLink;
const phone = '254712345678';

function numbers({ keys = [oldKey], baseUrl = 'http://127.0.0.1:8080' } = {}): KeptNumbers {
  const [ring, options] = [Keyring.from(keys), new CheckoutOptions(baseUrl)];
  return new KeptNumbers(ring, new Forms(ring, options), options);
}

const from = (visitor: string, cookie = '', prefix = ''): FastifyRequest =>
  ({
    headers: { cookie: `${prefix}checkout=${visitor.repeat(43)}; ${cookie}` },
  }) as FastifyRequest;

/** Returns the cookies that an answer sets. */
function cookiesOf(act: (reply: FastifyReply) => void): string[] {
  const set: string[] = [];
  act({ header: (_name: string, value: string) => set.push(value) } as unknown as FastifyReply);
  return set;
}

function kept(by = numbers(), request = from('a')): string {
  const path = '/checkout';
  const set = cookiesOf((reply) => {
    by.keep({ request, reply, path }, { link, phone });
  });
  return set[0] ?? '';
}

const pairOf = (cookie: string): string => cookie.split(';')[0] ?? '';

describe('the number that a customer typed', () => {
  it('is returned to the browser that sent it, for that link', () => {
    expect(numbers().of(from('a', pairOf(kept())), link)).toBe('0712345678');
  });

  it('is returned to no other browser and for no other link, even with the cookie', () => {
    const pair = pairOf(kept());
    expect(numbers().of(from('b', pair), link)).toBeUndefined();
    expect(numbers().of(from('a', pair), otherLink)).toBeUndefined();
    const otherMaker = { ...link, key: { credentialId: 'd' } } as CheckoutLink;
    expect(numbers().of(from('a', pair), otherMaker)).toBeUndefined();
    expect(numbers().of({ headers: { cookie: pair } } as FastifyRequest, link)).toBeUndefined();
  });

  it('is not readable in the cookie, and no two cookies of it are alike', () => {
    const cookie = kept();
    const sealed = /\.([\w-]+);/.exec(cookie)?.[1] ?? '';
    for (const text of [cookie, Buffer.from(sealed, 'base64url').toString('latin1')])
      expect(text).not.toContain('712345678');
    expect(kept()).not.toBe(cookie);
  });

  it('stays 15 minutes, on the page alone, out of reach of scripts and other sites', () => {
    expect(kept()).toMatch(
      /^checkout-number=old\.[\w-]{70}; Path=\/checkout; Max-Age=900; HttpOnly; SameSite=Lax$/,
    );
    const secure = kept(numbers({ baseUrl: 'https://pay.example' }), from('a', '', '__Host-'));
    expect(secure).toMatch(/^__Secure-checkout-number=.*; SameSite=Lax; Secure$/);
  });

  it('can be read by each replica while the master key is rotated, and not without the key', () => {
    const request = from('a', pairOf(kept()));
    expect(numbers({ keys: [newKey, oldKey] }).of(request, link)).toBe('0712345678');
    expect(numbers({ keys: [newKey] }).of(request, link)).toBeUndefined();
  });

  it.each([
    '',
    'x',
    `old.${'A'.repeat(70)}`,
    `no-key.${'A'.repeat(70)}`,
    `old.${'A'.repeat(5000)}`,
  ])('is ignored in a foreign cookie: %.20s', (value) => {
    expect(numbers().of(from('a', `checkout-number=${value}`), link)).toBeUndefined();
  });

  it('is found behind a foreign cookie of the same name', () => {
    const request = from('a', `checkout-number=x; ${pairOf(kept())}`);
    expect(numbers().of(request, link)).toBe('0712345678');
  });

  it('is not kept for a browser without our first cookie', () => {
    expect(kept(numbers(), { headers: {} } as FastifyRequest)).toBe('');
  });

  it('is forgotten with its link, and stays when another link ends', () => {
    const request = from('a', pairOf(kept()));
    const forgotten = (of: CheckoutLink): string[] =>
      cookiesOf((reply) => {
        numbers().forget({ request, reply, path: '/checkout' }, of);
      });
    expect(forgotten(link)).toEqual([
      'checkout-number=; Path=/checkout; Max-Age=0; HttpOnly; SameSite=Lax',
    ]);
    expect(forgotten(otherLink)).toEqual([]);
  });
});
