import { createHmac, createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type RecordedCollection } from '#domain/collections';
import { instantFromMs } from '#domain/kernel';
import { canonicalQuery } from '#shared/signing';
import fc from 'fast-check';
import { type PaymentAttempt } from '../attempts/payment-attempt.js';
import { type CheckoutLink, type V3Link } from '../link/checkout-link.js';
import { canCarryResult, returnAddress } from './return-address.js';

const secret = createSecretKey(Buffer.from('secret'));
const nowMs = Date.UTC(2026, 10, 21, 9, 30, 5);
const common = {
  key: { credentialId: 'c', holder: 'shop', secret },
  account: { accountNo: '1000000001', currency: 'KES' },
  amountMinor: 25_000n,
  reference: 'ORDER-7',
};

function v4(returnUrl: string): CheckoutLink {
  const link = { ...common, version: 'v4', returnUrl: new URL(returnUrl), values: { key_id: 'k' } };
  return link as unknown as CheckoutLink;
}

function v3(values: Partial<V3Link['values']> = {}): CheckoutLink {
  const written = {
    ttl: '250',
    curr: 'KES',
    oid: 'ORDER-7',
    inv: 'I',
    p1: '',
    p2: '',
    p3: '',
    p4: '',
  };
  const returnUrl = new URL('http://shop.example/paid?order=7');
  const link = { ...common, version: 'v3', returnUrl, values: { ...written, ...values } };
  return link as unknown as CheckoutLink;
}

function attempt(state: object, number = 1): PaymentAttempt {
  const collection = { intent: { amountMinor: 25_000n }, payment: {}, ...state };
  return { number, collection: collection as RecordedCollection, startedAt: instantFromMs(nowMs) };
}

const paid = attempt({
  status: 'completed',
  postedMinor: 25_000n,
  payment: { receipt: 'TKL33D3MJ7' },
});

/** Verifies a result as a shop would, with only its language's HMAC and the canonical query. */
function verifiesV4(address: string): boolean {
  const query = address.slice(address.indexOf('?') + 1);
  const hash = /(?:^|&)hash=([0-9a-f]{64})$/.exec(query)?.[1];
  const canonical = canonicalQuery(query.replace(/&hash=[0-9a-f]+$/, ''));
  const text = `checkout-result\n${canonical.ok ? canonical.value : ''}`;
  return hash === createHmac('sha256', 'secret').update(text).digest('hex');
}

describe('the way back from a V4 link', () => {
  it('says what was paid, signed, beside the address’s own query', () => {
    const address = returnAddress(v4('https://shop.example/paid?order=7#top'), paid, nowMs) ?? '';
    const { origin, pathname, searchParams, hash } = new URL(address);
    expect([origin, pathname, hash]).toEqual(['https://shop.example', '/paid', '#top']);
    expect(Object.fromEntries(searchParams)).toEqual({
      order: '7',
      reference: 'ORDER-7',
      status: 'completed',
      amount_minor: '25000',
      currency: 'KES',
      collection: 'ORDER-7',
      receipt: 'TKL33D3MJ7',
      key_id: 'k',
      timestamp: '1795253405',
      hash: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
    });
    expect(verifiesV4(address.replace('#top', ''))).toBe(true);
  });

  it('says why it failed and at which try, and what is not known yet', () => {
    const failed = attempt({ status: 'failed', failureCode: 'cancelled' }, 3);
    const address = new URL(returnAddress(v4('https://shop.example/'), failed, nowMs) ?? '');
    expect(address.searchParams.get('status')).toBe('failed');
    expect(address.searchParams.get('failure_code')).toBe('cancelled');
    expect(address.searchParams.get('collection')).toBe('ORDER-7~3');
    for (const status of ['pending', 'in_suspense']) {
      const open = returnAddress(v4('https://shop.example/'), attempt({ status }), nowMs) ?? '';
      expect(new URL(open).searchParams.get('status')).toBe('pending');
    }
  });

  it('verifies with any query that the address itself has', () => {
    fc.assert(
      fc.property(fc.webQueryParameters(), (own) => {
        const url = `https://shop.example/paid?${own}`;
        fc.pre(URL.canParse(url) && canCarryResult(new URL(url), 'v4'));
        expect(verifiesV4(returnAddress(v4(url), paid, nowMs) ?? '')).toBe(true);
      }),
    );
  });

  it('leads nowhere if the link names no address', () => {
    const { returnUrl: _none, ...link } = v4('https://shop.example/');
    expect(returnAddress(link as CheckoutLink, paid, nowMs)).toBeUndefined();
  });
});

describe('the way back from a V3 link', () => {
  it('says it in V3’s words, the literal amount included, under HMAC-SHA1', () => {
    const address = new URL(returnAddress(v3({ p1: 'a b' }), paid, nowMs) ?? '');
    const { hsh, order, ...said } = Object.fromEntries(address.searchParams);
    expect(order).toBe('7');
    expect(said).toEqual({
      status: 'completed',
      ttl: '250',
      curr: 'KES',
      oid: 'ORDER-7',
      tme: '2026-11-21 09:30:05',
      transactionId: 'TKL33D3MJ7',
      inv: 'I',
      p1: 'a b',
      p2: '',
      p3: '',
      p4: '',
    });
    const text = Object.values(said).join('');
    expect(hsh).toBe(createHmac('sha1', 'secret').update(text).digest('hex'));
  });

  it('contains the received amount if that was another one', () => {
    const other = attempt({ status: 'completed', postedMinor: 26_005n });
    const address = new URL(returnAddress(v3(), other, nowMs) ?? '');
    expect(address.searchParams.get('ttl')).toBe('260.05');
  });

  it('hashes no two results alike that differ in status, amount, currency or order', () => {
    const reference = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,10}$/);
    const order = fc.record({
      ttl: fc.stringMatching(/^(0|[1-9][0-9]{0,4})(\.[0-9]{1,2})?$/),
      oid: reference,
      inv: fc.string({ maxLength: 6, unit: 'grapheme-ascii' }),
    });
    const status = fc.constantFrom('completed', 'failed', 'pending');
    // The text that the hash covers is read back by the rule of docs/adr/0019: it has only one meaning.
    fc.assert(
      fc.property(order, status, (values, word) => {
        const state = { status: word, postedMinor: 25_000n, failureCode: 'cancelled' };
        const address = new URL(returnAddress(v3(values), attempt(state), nowMs) ?? '');
        const covered = [...address.searchParams.entries()].slice(1, -1).map(([, value]) => value);
        const [, ...read] =
          /^(completed|failed|pending)([0-9.]+)(KES)([^ ]*)\d{4}-\d\d-\d\d /.exec(
            covered.join(''),
          ) ?? [];
        expect(read).toEqual([word, values.ttl, 'KES', values.oid]);
      }),
    );
  });
});

describe('an address to return to', () => {
  it.each([
    ['v4', 'https://shop.example/?status=completed', false],
    ['v4', 'https://shop.example/?hash=1', false],
    ['v4', 'https://shop.example/?oid=1&statusx=1', true],
    ['v3', 'https://shop.example/?oid=1', false],
    ['v3', 'https://shop.example/?%6fid=1', false],
    ['v3', 'https://shop.example/?reference=1', true],
    ['v4', 'https://shop.example/?x=%ff', false],
    ['v4', 'https://shop.example/', true],
  ] as const)('%s %s carries a result: %s', (version, url, can) => {
    expect(canCarryResult(new URL(url), version)).toBe(can);
  });
});
