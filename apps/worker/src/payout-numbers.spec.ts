import { DependencyUnavailable, refuse } from '#domain/kernel';
import { type CompletePayout } from '#domain/payouts';
import { type Database } from '#infra/postgres';
import { Metrics, SystemClock } from '#infra/runtime';
import { type RetainedNumber } from '#views/payouts';
import { Logger } from '@nestjs/common';
import { type CommandBus } from '@nestjs/cqrs';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { PayoutNumberSweep } from './payout-numbers.js';
import { WorkerNow } from './worker-now.js';

beforeAll(() => {
  Logger.overrideLogger(false);
});
afterAll(() => {
  Logger.overrideLogger(['error', 'warn', 'log']);
});

/** A step over the numbers of two requests that were never recorded. The search for the first one fails. */
function stepping(failure: Error) {
  const kept = ['a', 'b'].map((reference): RetainedNumber => {
    const stream = `payout-demo:m:${reference}`;
    return { id: `${stream} hmac`, stream, standing: 'unknown', isOld: true };
  });
  const deleted: unknown[] = [];
  const query = (statement: unknown, [ids]: unknown[]) => {
    if (typeof statement !== 'string') return Promise.resolve(kept);
    deleted.push(ids);
    return Promise.resolve([]);
  };
  const execute = ({ key }: CompletePayout) =>
    key.reference === 'a' ? Promise.reject(failure) : Promise.resolve(refuse('unknown_payout'));
  const database = { query } as unknown as Database;
  const bus = { execute } as unknown as CommandBus;
  const worker = new WorkerNow(new SystemClock(), { next: () => 'id-1' });
  const numbers = new PayoutNumberSweep(database, bus, worker, new Metrics());
  return { step: numbers.step(), deleted };
}

it('a number whose payout cannot be read does not keep others from being deleted', async () => {
  const { step, deleted } = stepping(new TypeError('a defect'));
  expect(await step).toBe('idle');
  expect(deleted).toEqual([['payout-demo:m:b hmac']]);
});

it('no number is deleted if the log cannot be asked', async () => {
  const { step, deleted } = stepping(new DependencyUnavailable('event store', 'it is away'));
  await expect(step).rejects.toThrow(DependencyUnavailable);
  expect(deleted).toEqual([]);
});
