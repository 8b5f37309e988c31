import { parsePhone } from '#shared/signing';
import { Problem, RawBody } from '#shared/http';
import { describe, expect, it } from '@jest/globals';
import { readMembers } from '../members.js';
import { collectionOf, type Terms } from './collect-request.js';

const terms: Terms = {
  account: {
    merchantId: 'm1',
    mode: 'demo',
    accountNo: '1000000001',
    currency: 'KES',
    feeSchedule: { basisPoints: 150, flatMinor: 0n },
    channels: ['mpesa'],
  },
  limits: { maxMinor: 25_000_000n, stepMinor: 1n, currencies: ['KES'] },
  callbacks: { hosts: ['shop.example'], schemes: ['https:'] },
};

const good = {
  accountNumber: '1000000001',
  ref: 'R-1',
  mobileNumber: '0712345678',
  amount: '250.5',
  currency: 'KES',
};
type Values = Readonly<Record<string, unknown>>;

function collection(values: Values, measured: Terms | undefined = terms) {
  const body = new RawBody(Buffer.from(JSON.stringify({ ...good, ...values })), undefined);
  return collectionOf(readMembers(body), measured);
}

function problemOf(work: () => unknown): Problem {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof Problem) return thrown;
    throw thrown;
  }
  throw new Error('nothing was refused');
}

describe('a collect request', () => {
  it('becomes the same input as for the V4 pipeline, except for its origin', () => {
    expect(collection({})).toEqual({
      account: terms.account,
      phone: '254712345678',
      amountMinor: 25_050n,
      channel: 'mpesa',
      reference: 'R-1',
      origin: 'v3',
    });
  });

  const bad: readonly (readonly [code: string, values: Values, without?: Terms | undefined])[] = [
    ['invalid_reference', { ref: 'has space' }],
    ['invalid_phone', { mobileNumber: '712345678' }],
    ['invalid_amount', { amount: '1e3' }],
    ['invalid_currency', { currency: 'kes' }],
    ['invalid_request', { callbackUrl: 'https://elsewhere.example/' }],
  ];
  const pairs = bad.flatMap((first, index) =>
    bad
      .slice(index + 1)
      .map((second) => ({ first, second, name: `${first[0]} before ${second[0]}` })),
  );
  it.each(pairs)('answers the first bad field: $name', ({ first, second }) => {
    expect(problemOf(() => collection({ ...first[1], ...second[1] })).error.code).toBe(first[0]);
  });

  it('names the account first of all', () => {
    const { error, detail } = problemOf(() =>
      collectionOf(readMembers(new RawBody(Buffer.from('{}'), undefined)), undefined),
    );
    expect(error.code).toBe('invalid_account');
    expect(detail).toContain('accountNumber');
  });

  it.each([
    ['invalid_reference', 'ref'],
    ['invalid_phone', 'mobileNumber'],
    ['invalid_amount', 'amount'],
    ['invalid_currency', 'currency'],
  ])('answers %s to a %s that is a number, null, missing or empty', (code, name) => {
    for (const value of [1, null, undefined, '', ['KES'], true])
      expect(problemOf(() => collection({ [name]: value })).error.code).toBe(code);
  });

  it.each(['0', '0.00', '250000.01', '9999999999999.99', '1.234', '.5', '１00', '-1', '1,00'])(
    'rejects an amount of %s',
    (amount) => {
      expect(problemOf(() => collection({ amount })).error.code).toBe('invalid_amount');
    },
  );

  it('keeps to the rail’s step', () => {
    const stepped = { ...terms, limits: { ...terms.limits, stepMinor: 100n } };
    expect(problemOf(() => collection({ amount: '250.50' }, stepped)).detail).toContain('1.00');
    expect(collection({ amount: '0250.00' }, stepped).amountMinor).toBe(25_000n);
  });
});

describe('the callback’s URL', () => {
  it('is kept if its host is on the list', () => {
    const callbackUrl = 'https://shop.example:8443/paid?order=7';
    expect(collection({ callbackUrl })).toMatchObject({ callbackUrl });
    expect(collection({ callbackUrl: null })).not.toHaveProperty('callbackUrl');
  });

  it.each([
    ['', 'nothing'],
    ['http://shop.example/', 'not https'],
    ['https://shop.example.evil.example/', 'another host'],
    ['https://shop.example@evil.example/', 'another host behind a user'],
    ['https://evil.example\\@shop.example/', 'a URL that readers disagree on'],
    ['https://evil.example/?https://shop.example/', 'another host'],
    ['//shop.example/', 'no scheme'],
    ['javascript:alert(1)', 'another scheme'],
    [`https://shop.example/${'x'.repeat(3000)}`, 'too long'],
    ['https://shop.example/?phone=254712345678', 'the phone number, which events never hold'],
  ])('is refused: %s (%s)', (callbackUrl) => {
    expect(problemOf(() => collection({ callbackUrl })).error.code).toBe('invalid_request');
  });
});

describe('a mobile number', () => {
  it.each([
    ['254712345678', '254712345678'],
    ['+254712345678', '254712345678'],
    ['0712345678', '254712345678'],
    ['0112345678', '254112345678'],
    ['254112345678', '254112345678'],
  ])('%s is read as %s', (text, phone) => {
    expect(parsePhone(text)).toBe(phone);
  });

  it.each([
    '',
    '712345678',
    '+0712345678',
    '0812345678',
    '07123456789',
    '2540712345678',
    '٠٧١٢٣٤٥٦٧٨',
    '0712 345678',
    '0712345678\n',
  ])('%j is not one', (text) => {
    expect(parsePhone(text)).toBeUndefined();
  });
});
