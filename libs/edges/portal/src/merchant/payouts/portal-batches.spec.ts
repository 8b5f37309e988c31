import { type QueryBus } from '@nestjs/cqrs';
import { expect, it } from '@jest/globals';
import { type PayoutBatchDetails, type PayoutBatchRequest } from '#domain/payouts';
import { PortalBatches } from './portal-batches.js';

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
