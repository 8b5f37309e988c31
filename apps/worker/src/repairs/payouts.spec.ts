import { DependencyUnavailable, ok } from '#domain/kernel';
import { ReservationsContested } from '#domain/ledger';
import { type CompletePayoutBatch, payoutBatchStream } from '#domain/payouts';
import { type CollectionsClient } from '#edges/rails';
import { type Database } from '#infra/postgres';
import { Metrics, SystemClock } from '#infra/runtime';
import { Logger } from '@nestjs/common';
import { type CommandBus } from '@nestjs/cqrs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { WorkerNow } from '../worker-now.js';
import { unfinishedPayoutBatches } from './payouts.js';
import { repairStep } from './repairs.js';

beforeAll(() => {
  Logger.overrideLogger(false);
});
afterAll(() => {
  Logger.overrideLogger(['error', 'warn', 'log']);
});

/** Repairs of these batches. A batch fails if `fails` returns an error for it. */
function repairsOf(references: readonly string[], fails: (reference: string) => Error | undefined) {
  const streams = references.map((reference) =>
    payoutBatchStream({ mode: 'demo', merchantId: 'm-1', reference }),
  );
  const query = (_statement: unknown, [, limit, after]: [number, number, string]) => {
    const page = streams.filter((stream) => stream > after).slice(0, limit);
    return Promise.resolve(page.map((stream) => ({ stream })));
  };
  const lookedAfter: string[] = [];
  const execute = ({ key }: CompletePayoutBatch) => {
    lookedAfter.push(key.reference);
    const failure = fails(key.reference);
    return failure ? Promise.reject(failure) : Promise.resolve(ok('settled'));
  };
  const database = { query } as unknown as Database;
  const bus = { execute } as unknown as CommandBus;
  const metrics = new Metrics();
  const worker = new WorkerNow(new SystemClock(), { next: () => 'id-1' });
  const tools = {
    database,
    commandBus: bus,
    worker,
    metrics,
    collections: {} as CollectionsClient,
  };
  const step = repairStep(unfinishedPayoutBatches, tools);
  return { step, lookedAfter, told: () => metrics.registry.metrics() };
}

/** A step over two batches, the first of which fails with this error. */
function stepping(failure: Error) {
  const { step, lookedAfter } = repairsOf(['first', 'second'], (reference) =>
    reference === 'first' ? failure : undefined,
  );
  return { step: step(), lookedAfter };
}

describe('the work that a process left behind', () => {
  it.each([new ReservationsContested('32 races were lost'), new TypeError('a defect')])(
    'is handled even if the work before it fails by itself: %p',
    async (failure) => {
      const { step, lookedAfter } = stepping(failure);
      expect(await step).toBe('idle');
      expect(lookedAfter).toEqual(['first', 'second']);
    },
  );

  it('is handled after any number of failing items, and those are retried', async () => {
    const stuck = Array.from({ length: 7 }, (_, at) => `a${at}`);
    const { step, lookedAfter, told } = repairsOf([...stuck, 'b'], (reference) =>
      reference === 'b' ? undefined : new TypeError('a defect'),
    );
    await step();
    expect(lookedAfter).not.toContain('b');
    await step();
    expect(lookedAfter).toContain('b');
    await step();
    expect(lookedAfter.filter((reference) => reference === 'a0')).toHaveLength(2);
    expect(await told()).toMatch(/^pesapost_repairs_failed_total\{what="batch"\} 12$/m);
  });

  it('waits for the next step if what all of it needs is away', async () => {
    const { step, lookedAfter } = stepping(new DependencyUnavailable('event store', 'it is away'));
    await expect(step).rejects.toThrow(DependencyUnavailable);
    expect(lookedAfter).toEqual(['first']);
  });
});
