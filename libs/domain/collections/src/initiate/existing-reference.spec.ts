import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { intent } from '../../test/histories.js';
import { type DifferingField, differencesFrom } from './initiate-collection.decide.js';
import { anyPhoneIn, numbersIn, referenceHoldsPhone } from './reference.js';

const account = {
  merchantId: 'm',
  mode: 'demo',
  accountNo: '1001',
  currency: 'KES',
  feeSchedule: { basisPoints: 150, flatMinor: 0n },
  channels: ['mpesa'],
} as const;
const request = { account, amountMinor: 10_000n, phoneHmac: 'h', channel: 'mpesa' } as const;

describe('a request with a reference that exists', () => {
  it.each<[readonly DifferingField[], object]>([
    [[], {}],
    [['phone'], { phoneHmac: 'other' }],
    [['amountMinor'], { amountMinor: 10_001n }],
    [['accountNo', 'currency'], { account: { ...account, accountNo: '1002', currency: 'TZS' } }],
    [['channel'], { channel: 'airtel' }],
    [['phone', 'amountMinor'], { phoneHmac: 'other', amountMinor: 1n }],
  ])('differs from the collection in %j', (fields, change) => {
    expect(differencesFrom(intent.data, { ...request, ...change })).toEqual(fields);
  });
});

describe('a reference that contains the customer’s number', () => {
  const phone = fc.stringMatching(/^254[17][0-9]{8}$/);
  const text = fc.stringMatching(/^[A-Za-z0-9._:/-]{0,20}$/);

  it('is found for any notation of the number and at any place in the text', () => {
    fc.assert(
      fc.property(
        phone,
        text,
        text,
        fc.constantFrom('254', '0', '+254', ''),
        (number, before, after, prefix) =>
          referenceHoldsPhone(`${before}${prefix}${number.slice(3)}${after}`, number) &&
          numbersIn(`${before}${prefix}${number.slice(3)}${after}`).includes(number) &&
          anyPhoneIn(['254700000000', number])(`${before}${prefix}${number.slice(3)}${after}`),
      ),
    );
  });

  it('is not seen in another number', () => {
    expect(referenceHoldsPhone('order-254712345679', '254712345678')).toBe(false);
    expect(referenceHoldsPhone('INV-12345678', '254712345678')).toBe(false);
    expect(anyPhoneIn(['254712345678', '254112345678'])('order-254712345679')).toBe(false);
  });
});
