import { DependencyUnavailable, ok } from '#domain/kernel';
import { ReservationsContested } from '#domain/ledger';
import { type CompletePayoutBatch, payoutBatchStream } from '#domain/payouts';
import { type Database } from '#infra/postgres';
import { Metrics } from '#infra/runtime';
import { Logger } from '@nestjs/common';
import { type CommandBus } from '@nestjs/cqrs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { UnfinishedPayoutBatches } from './stream-repairs.js';

beforeAll(() => {
  Logger.overrideLogger(false);
});
afterAll(() => {
  Logger.overrideLogger(['error', 'warn', 'log']);
});

/** A step over two batches, the first of which fails so. */
function stepping(failure: Error) {
  const rows = ['first', 'second'].map((reference) => ({
    stream: payoutBatchStream({ mode: 'demo', merchantId: 'm-1', reference }),
  }));
  const database = { query: () => Promise.resolve(rows) } as unknown as Database;
  const lookedAfter: string[] = [];
  const execute = ({ key }: CompletePayoutBatch) => {
    lookedAfter.push(key.reference);
    return key.reference === 'first' ? Promise.reject(failure) : Promise.resolve(ok('settled'));
  };
  const bus = { execute } as unknown as CommandBus;
  const ids = { next: () => 'id-1' };
  return {
    step: new UnfinishedPayoutBatches(database, bus, ids, new Metrics()).step(),
    lookedAfter,
  };
}

describe('what a process has left', () => {
  it.each([new ReservationsContested('32 races were lost'), new TypeError('a defect')])(
    'is looked after where the one before it fails of its own: %p',
    async (failure) => {
      const { step, lookedAfter } = stepping(failure);
      expect(await step).toBe('idle');
      expect(lookedAfter).toEqual(['first', 'second']);
    },
  );

  it('waits for the next step where what all of it needs is away', async () => {
    const { step, lookedAfter } = stepping(new DependencyUnavailable('event store', 'it is away'));
    await expect(step).rejects.toThrow(DependencyUnavailable);
    expect(lookedAfter).toEqual(['first']);
  });
});
