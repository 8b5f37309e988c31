import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { railAmount } from '#domain/rails';
import { collectionKeyOf, collectionStream } from '../collection.events.js';
import { ok } from '#domain/kernel';
import {
  accountReferenceFrom,
  type CollectionDetails,
  decideInitiateCollection,
} from './initiate-collection.decide.js';

const limits = { maxMinor: 25_000_000n, stepMinor: 100n, currencies: ['KES'] };
const account = {
  merchantId: 'm',
  mode: 'demo',
  accountNo: '1001',
  currency: 'KES',
  feeSchedule: { basisPoints: 150, flatMinor: 0n },
  channels: ['mpesa'],
} as const;
const details = {
  account,
  phone: '254712345678',
  amountMinor: 10_000n,
  channel: 'mpesa',
  reference: 'INV-1',
  origin: 'v4',
} as const;
const traces = { phoneHmac: 'h', phoneMasked: '2547*****678', accountReference: 'ABC' };

/** Applies the rail's limits and the decision to a request. */
function decide(asked: Omit<CollectionDetails, 'amountMinor'> & { readonly amountMinor: bigint }) {
  const amount = railAmount(limits, asked.amountMinor, asked.account.currency);
  if (!amount.ok) return amount;
  return ok(decideInitiateCollection({ ...asked, amountMinor: amount.value }, traces));
}

describe('an intent', () => {
  it('fixes the fee and contains traces of the phone, never the number', () => {
    const decision = decide(details);
    expect(decision).toMatchObject({ ok: true, value: [{ data: { feeMinor: 150n } }] });
    expect(
      JSON.stringify(decision, (_key, value: unknown) =>
        typeof value === 'bigint' ? value.toString() : value,
      ),
    ).not.toContain(details.phone);
  });

  it.each([
    ['invalid_amount', { amountMinor: 0n }],
    ['invalid_amount', { amountMinor: 10_050n }],
    ['invalid_amount', { amountMinor: 25_000_100n }],
    ['invalid_currency', { account: { ...account, currency: 'USD' } }],
  ])('is refused with %s for %j', (refusal, change) => {
    expect(decide({ ...details, ...change })).toEqual({
      ok: false,
      refusal,
    });
  });
});

describe('the amount that the rail carries', () => {
  it('is whole steps from one to its maximum, and nothing is rounded', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -1000n, max: 30_000_000n }), (amount) => {
        const whole = amount > 0n && amount <= limits.maxMinor && amount % 100n === 0n;
        return railAmount(limits, amount, 'KES').ok === whole;
      }),
    );
  });
});

describe('names', () => {
  it('a collection’s stream leads back to its key, colons in the reference included', () => {
    const reference = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:/-]{0,63}$/);
    fc.assert(
      fc.property(
        reference,
        fc.uuid(),
        fc.constantFrom('live', 'demo'),
        (ref, merchantId, mode) => {
          const key = { mode, merchantId, reference: ref } as const;
          expect(collectionKeyOf(collectionStream(key))).toEqual(key);
        },
      ),
    );
    expect(collectionKeyOf('merchant-1')).toBeUndefined();
  });

  it('an account reference is twelve characters that Daraja allows', () => {
    fc.assert(fc.property(fc.uuid(), (uuid) => /^[0-9A-V]{12}$/.test(accountReferenceFrom(uuid))));
  });
});
