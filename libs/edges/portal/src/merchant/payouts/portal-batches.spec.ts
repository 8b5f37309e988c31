import { type QueryBus } from '@nestjs/cqrs';
import { expect, it } from '@jest/globals';
import {
  FindBatchItems,
  type PayoutBatchDetails,
  type PayoutBatchRequest,
  type PayoutRequest,
} from '#domain/payouts';
import { type Call } from './sealed-forms.js';
import { itemsDigest, PortalBatches } from './portal-batches.js';

const detailsFor = (accountNo: string) => ({ account: { accountNo }, items: [] }) as unknown;
const existing = { accountNo: '1001' } as PayoutBatchRequest;
const unused = undefined as never;

it.each([
  ['the same account and items', '1001', true, true],
  ['other items', '1001', false, false],
  ['another account', '1002', true, false],
])('a file with %s and the reference of a batch', async (_name, accountNo, matches, isSame) => {
  const queries = { execute: () => Promise.resolve(matches) } as unknown as QueryBus;
  const batches = new PortalBatches(unused, queries, unused, unused);
  const details = detailsFor(accountNo) as PayoutBatchDetails;
  expect(await batches.isSame(details, existing)).toBe(isSame);
});

it('is approved only by a page that showed every payout of the batch', async () => {
  const item = { reference: 'a', phoneHmac: 'h', amountMinor: 1n, feeMinor: 0n } as PayoutRequest;
  const request = { ...existing, count: 2 };
  const queries = (items: readonly PayoutRequest[]) => ({
    execute: (query: unknown) =>
      Promise.resolve(
        query instanceof FindBatchItems ? items : { state: { status: 'requested', request } },
      ),
  });
  const carriedOut = { ok: true, value: { status: 'approved' } };
  const approve = (items: readonly PayoutRequest[], digest: string) =>
    new PortalBatches(
      unused,
      queries(items) as unknown as QueryBus,
      { holderOf: () => Promise.resolve('wanjiru') } as never,
      { carryOut: () => Promise.resolve(carriedOut) } as never,
    ).decide({ verdict: 'approve', reference: 'b', amountMinor: 2n, count: 2, digest }, {
      request: {},
      place: { merchantId: 'm', mode: 'demo' },
    } as Call & { readonly place: never });
  const [half, whole] = [[item], [item, { ...item, reference: 'b' }]];
  const refused = { ok: false, refusal: 'items_differ' };
  expect(await approve(half, itemsDigest(half))).toEqual(refused);
  expect(await approve(whole, itemsDigest(half))).toEqual(refused);
  expect(await approve(whole, itemsDigest(whole))).toEqual(carriedOut);
});
