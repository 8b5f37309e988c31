import { describe, expect, it } from '@jest/globals';
import { type Payout } from '../payout.js';
import { BatchesAtWork } from './batches-at-work.js';
import { MatchBatchItems, MatchBatchItemsHandler } from './match-batch-items.query.js';
import { type PayoutBatchRequest } from './payout-batch.js';
import { type PayoutBatches } from './payout-batches.js';

const item = (reference: string, phone = '254712345678', amountMinor = 1000n) => ({
  reference,
  phone,
  amountMinor,
});

/** A log with a batch of two payouts, the second of which was never recorded. */
const batch = { merchantId: 'm-1', references: ['a', 'b'] } as unknown as PayoutBatchRequest;
const request = { amountMinor: 1000n, phoneHmac: 'hmac of 254712345678' };
const payouts = new Map<string, Payout>([
  ['a', { status: 'reserved', request } as Payout],
  ['b', { status: 'none' }],
]);
const batches = {
  atWork: new BatchesAtWork(),
  payoutsOf: () => Promise.resolve(payouts),
  tracesOf: (phone: string) => ({ phoneHmac: `hmac of ${phone}`, phoneMasked: 'masked' }),
} as unknown as PayoutBatches;

describe('a batch compared with items', () => {
  const handler = new MatchBatchItemsHandler(batches);

  it.each<[string, MatchBatchItems['items'], boolean]>([
    ['pays them if they are its own', [item('a'), item('b')], true],
    ['does not pay them to another number', [item('a', '254712345679'), item('b')], false],
    ['does not pay them with another amount', [item('a', '254712345678', 1001n), item('b')], false],
    ['does not pay them under another reference', [item('a'), item('c')], false],
    ['does not pay them in another order', [item('b'), item('a')], false],
    ['does not pay them if one is missing', [item('a')], false],
  ])('%s', async (_name, items, matches) => {
    expect(await handler.execute(new MatchBatchItems(batch, items))).toBe(matches);
  });
});
