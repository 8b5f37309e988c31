import { type QueryBus } from '@nestjs/cqrs';
import { describe, expect, it } from '@jest/globals';
import { type Payout, type PayoutBatchDetails, type PayoutBatchRequest } from '#domain/payouts';
import { type PayoutForms, PortalBatches } from './payout-calls.js';

const account = { accountNo: '1001' } as PayoutBatchDetails['account'];
const item = (reference: string, phone = '254712345678', amountMinor = 1000n) => ({
  reference,
  phone,
  amountMinor,
});
const detailsOf = (...items: readonly object[]) => ({ account, items }) as PayoutBatchDetails;
const forms = { phoneHmac: ({ phone }: { phone: string }) => `hmac of ${phone}` };

/** What the log holds of a batch of two payouts, the second of which was never recorded. */
const existing = { accountNo: '1001', references: ['a', 'b'] } as unknown as PayoutBatchRequest;
const payouts = new Map<string, Payout>([
  [
    'a',
    {
      status: 'reserved',
      request: { amountMinor: 1000n, phoneHmac: 'hmac of 254712345678' },
    } as Payout,
  ],
  ['b', { status: 'none' }],
]);

describe('a file whose batch has the reference already', () => {
  const queries = { execute: () => Promise.resolve(payouts) } as unknown as QueryBus;
  const batches = new PortalBatches(
    undefined as never,
    queries,
    forms as PayoutForms,
    undefined as never,
  );

  it.each<[string, PayoutBatchDetails, boolean]>([
    ['the same payouts', detailsOf(item('a'), item('b')), true],
    ['another number', detailsOf(item('a', '254712345679'), item('b')), false],
    ['another amount', detailsOf(item('a', '254712345678', 1001n), item('b')), false],
    ['another payout', detailsOf(item('a'), item('c')), false],
    ['fewer payouts', detailsOf(item('a')), false],
    [
      'another account',
      { ...detailsOf(item('a'), item('b')), account: { ...account, accountNo: '1002' } },
      false,
    ],
  ])('with %s asks for that batch: %#', async (_name, details, isSame) => {
    expect(await batches.isSame(details, existing)).toBe(isSame);
  });
});
