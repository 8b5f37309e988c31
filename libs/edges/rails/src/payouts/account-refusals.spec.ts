import { Logger } from '@nestjs/common';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { DependencyUnavailable } from '#domain/kernel';
import { AccountRefusals } from './account-refusals.js';

const account = { channel: 'mpesa', mode: 'demo' } as const;
const declined = (failureCode: string) => ({ kind: 'declined', failureCode }) as const;
const expired = declined('rail_unauthorized');

let kept: Map<string, string>;
let isAway: boolean;
let refusals: AccountRefusals;

beforeAll(() => {
  Logger.overrideLogger(false);
});
afterAll(() => {
  Logger.overrideLogger(true);
});
beforeEach(() => {
  kept = new Map();
  isAway = false;
  const served = <T>(serve: () => T): Promise<T> =>
    isAway ? Promise.reject(new DependencyUnavailable('redis', 'away')) : Promise.resolve(serve());
  refusals = new AccountRefusals({
    get: (key) => served(() => kept.get(key) ?? null),
    set: (key, value) => served(() => void kept.set(key, value)),
    add: (key, by) => served(() => void kept.set(key, `${BigInt(kept.get(key) ?? 0) + by}`)),
  });
});

it('counts only refusals of the account, by rail and mode, across processes', async () => {
  await refusals.record(account, expired);
  await refusals.record({ ...account, mode: 'live' }, expired);
  await refusals.record(account, declined('rail_account_inactive'));
  expect(await refusals.inARow(account)).toBe(2);
  expect(await refusals.inARow({ ...account, mode: 'live' })).toBe(1);
});

it.each([
  ['a payment', { kind: 'paid', resultCode: '0' } as const],
  ['a refusal of one payout for its own sake', declined('receiver_not_registered')],
])('starts again at zero after %s', async (_what, verdict) => {
  await refusals.record(account, expired);
  await refusals.record(account, verdict);
  expect(await refusals.inARow(account)).toBe(0);
});

it('counts nothing of a result that settles nothing', async () => {
  await refusals.record(account, expired);
  await refusals.record(account, { kind: 'unresolved' });
  expect(await refusals.inARow(account)).toBe(1);
});

it('delays no result if Redis is away, and reports that the count is unknown', async () => {
  isAway = true;
  await refusals.record(account, expired);
  expect(await refusals.inARow(account)).toBeUndefined();
});
