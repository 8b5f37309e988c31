import { fold, type RecordedEvent } from '#domain/event-sourcing';
import { instantFromMs } from '#domain/kernel';
import { type ReservationEvent, reservationsStream, standingReservation } from '#domain/ledger';
import { MemoryLog } from '#testing';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  Allowances,
  BatchItems,
  NotingRail,
  Phones,
  startProcess,
  streamOf,
  wallet,
  type World,
} from '../../test/scene.js';
import { payoutDecider } from '../payout.evolve.js';
import { type PayoutEvent } from '../payout.events.js';
import { type Payout, totalOf } from '../payout.js';
import { type PayoutBatchEvent, payoutBatchStream } from './payout-batch.events.js';
import { payoutBatchDecider } from './payout-batch.js';

/** Thrown when the process dies, so that its pending work never finishes. */
class Died extends Error {}

/** The concurrent requests use only a few names, so that they collide. */
const batches = ['b-0', 'b-1'] as const;
const references = ['p-0', 'p-1', 'p-2', 'p-3'] as const;

type Action =
  | {
      readonly kind: 'batch';
      readonly batch: (typeof batches)[number];
      readonly items: readonly { readonly reference: string; readonly amountMinor: bigint }[];
      readonly holder: string;
    }
  | {
      readonly kind: 'decide batch';
      readonly batch: (typeof batches)[number];
      readonly verdict: 'approve' | 'reject';
      readonly holder: string;
    }
  | { readonly kind: 'complete batch'; readonly batch: (typeof batches)[number] }
  | {
      readonly kind: 'cancel batch';
      readonly batch: (typeof batches)[number];
      readonly holder: string;
    }
  | {
      readonly kind: 'payout';
      readonly reference: string;
      readonly amountMinor: bigint;
      readonly holder: string;
    }
  | {
      readonly kind: 'decide';
      readonly reference: string;
      readonly verdict: 'approve' | 'reject';
      readonly holder: string;
    }
  | {
      readonly kind: 'send' | 'decline' | 'complete' | 'cancel' | 'expire';
      readonly reference: string;
    };

const holder = fc.constantFrom('asha', 'joseph');
const verdict = fc.constantFrom<'approve' | 'reject'>('approve', 'approve', 'reject');
const batch = fc.constantFrom(...batches);
const reference = fc.constantFrom<string>(...references);
const amountMinor = fc.bigInt({ min: 1n, max: 40n });
const of = <K extends string>(kind: K) => fc.constant(kind);
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: of('batch'),
      batch,
      items: fc.uniqueArray(fc.record({ reference, amountMinor }), {
        minLength: 1,
        maxLength: 3,
        selector: (item) => item.reference,
      }),
      holder,
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: of('decide batch'), batch, verdict, holder }) },
  { weight: 2, arbitrary: fc.record({ kind: of('complete batch'), batch }) },
  { weight: 2, arbitrary: fc.record({ kind: of('cancel batch'), batch, holder }) },
  { weight: 1, arbitrary: fc.record({ kind: of('payout'), reference, amountMinor, holder }) },
  { weight: 1, arbitrary: fc.record({ kind: of('decide'), reference, verdict, holder }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constantFrom('send', 'decline', 'complete', 'cancel', 'expire'),
      reference,
    }),
  },
);
const step = fc.record({
  action,
  /** The number of calls after which the process dies; undefined if it does not. */
  diesAfter: fc.option(fc.nat({ max: 25 }), { nil: undefined }),
});

describe('any order of requests, decisions and crashes', () => {
  it('no batch is ever half, no wallet is overdrawn, and nothing stays reserved', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(step, { minLength: 1, maxLength: 12 }),
        fc.bigInt({ min: 0n, max: 150n }),
        fc.nat({ max: 2 }),
        async (scheduler, steps, creditsMinor, progress) => {
          const log = new MemoryLog();
          let made = 0;
          const world: World = {
            log,
            rail: new NotingRail(),
            credits: () => creditsMinor,
            phones: new Phones(),
            batchItems: new BatchItems(),
            allowances: new Allowances(),
            nextId: () => `id-${(made += 1)}`,
            feeBasisPoints: 1000,
          };
          const calm = startProcess(world);
          // The first batch takes some steps before all actions run at once.
          const first = ['p-0', 'p-1'].map((each) => ({ reference: each, amountMinor: 20n }));
          if (progress > 0) await calm.requestBatch('b-0', first);
          if (progress > 1) await calm.decideBatch('b-0', { verdict: 'approve', holder: 'joseph' });

          const run = async ({ action, diesAfter }: (typeof steps)[number]): Promise<void> => {
            let calls = 0;
            const at = async (what: string): Promise<void> => {
              await scheduler.schedule(Promise.resolve(), what);
              if (diesAfter !== undefined && (calls += 1) > diesAfter) throw new Died();
            };
            await act(startProcess(world, at), action);
          };
          const running = Promise.allSettled(steps.map(run));
          await scheduler.waitFor(running);
          for (const settled of await running)
            if (settled.status === 'rejected' && !isDeath(settled.reason)) throw settled.reason;

          // The worker finishes the work that crashes left.
          for (const each of batches) await calm.completeBatch(each);
          for (const each of references) await calm.complete(each);
          for (const ended of judge(log, world, creditsMinor)) seen.add(ended);
        },
      ),
      { numRuns: 1500 },
    );
    // The runs reach every end. A generator that stays at the beginning would prove nothing.
    expect([...seen].sort()).toEqual([
      'approved',
      'cancelled',
      'none',
      'rejected: cancelled',
      'rejected: insufficient_funds',
      'rejected: reference_taken',
      'rejected: rejected_by_holder',
      'requested',
    ]);
  });
});

/** Several calls of a fan-out may fail at once. */
function isDeath(error: unknown): boolean {
  return error instanceof AggregateError ? error.errors.every(isDeath) : error instanceof Died;
}

async function act(process: ReturnType<typeof startProcess>, action: Action): Promise<void> {
  switch (action.kind) {
    case 'batch':
      await process.requestBatch(action.batch, action.items, action.holder);
      return;
    case 'decide batch':
      await process.decideBatch(action.batch, { verdict: action.verdict, holder: action.holder });
      return;
    case 'complete batch':
      await process.completeBatch(action.batch);
      return;
    case 'cancel batch':
      await process.cancelBatch(action.batch, action.holder);
      return;
    case 'cancel':
      await process.cancel(action.reference);
      return;
    case 'expire':
      // As if three days had passed.
      await process.expire(action.reference, instantFromMs(Date.now() + 4 * 86_400_000));
      return;
    case 'payout':
      await process.request(action.reference, action.amountMinor, { holder: action.holder });
      return;
    case 'decide':
      await process.decide(action.reference, { verdict: action.verdict, holder: action.holder });
      return;
    case 'send':
      await process.send(action.reference);
      return;
    case 'decline':
      await process.report(action.reference, {
        verdict: { kind: 'declined', failureCode: 'rail_declined' },
      });
      return;
    case 'complete':
      await process.complete(action.reference);
  }
}

function judge(log: MemoryLog, world: World, creditsMinor: bigint): readonly string[] {
  const reservations = log.events.filter(({ stream }) =>
    stream.startsWith('reservations-'),
  ) as unknown as RecordedEvent<ReservationEvent>[];
  let runningMinor = 0n;
  for (const { type, data } of reservations) {
    runningMinor += type === 'FundsReserved' ? data.amountMinor : -data.amountMinor;
    expect(data.totalMinor).toBe(runningMinor);
    expect(runningMinor).toBeLessThanOrEqual(creditsMinor);
  }
  const payouts = new Map(references.map((each) => [each as string, payoutOf(log, each)] as const));
  let spokenForMinor = 0n;
  for (const [each, state] of payouts) {
    const held = standingReservation(reservations, streamOf(each))?.data.amountMinor;
    const isHeld = ['reserved', 'approved', 'started', 'completed'].includes(state.status);
    const totalMinor = state.status === 'none' ? 0n : totalOf(state.request);
    expect([each, state.status, held]).toEqual([
      each,
      state.status,
      isHeld ? totalMinor : undefined,
    ]);
    if (isHeld) spokenForMinor += totalMinor;
    const isKept = [...world.phones.kept.keys()].some((key) =>
      key.startsWith(`${streamOf(each)} `),
    );
    if (state.status === 'reserved' || state.status === 'approved') expect(isKept).toBe(true);
    if ('approvedBy' in state) expect(state.approvedBy).not.toBe(state.request.holder);
  }
  expect(runningMinor).toBe(spokenForMinor);
  for (const each of batches) requireReservedWhole(log, each, payouts);
  return batches.map((each) => judgeBatch(log, each, payouts));
}

/** A batch is reserved in one append, caused by its request. None of its payouts is reserved alone. */
function requireReservedWhole(
  log: MemoryLog,
  reference: string,
  payouts: ReadonlyMap<string, Payout>,
): void {
  const own = [...payouts].filter(([, payout]) => isOf(reference, payout));
  const sources = own.map(([each]) => streamOf(each));
  const reserved = (log.streams.get(reservationsStream(wallet)) ?? []).filter(
    ({ type, data }) =>
      type === 'FundsReserved' && 'source' in data && sources.includes(String(data.source)),
  );
  const [first] = reserved;
  const [request] = log.streams.get(payoutBatchStream({ ...wallet, reference })) ?? [];
  if (first) expect(reserved).toHaveLength(own.length);
  for (const [index, { revision, metadata }] of reserved.entries())
    expect([revision, metadata.causationId]).toEqual([
      (first?.revision ?? 0n) + BigInt(index),
      request?.id,
    ]);
}

function isOf(reference: string, payout: Payout): boolean {
  return payout.status !== 'none' && payout.request.batch === reference;
}

function judgeBatch(
  log: MemoryLog,
  reference: string,
  payouts: ReadonlyMap<string, Payout>,
): string {
  const stream = payoutBatchStream({ ...wallet, reference });
  const events = log.events.filter((event) => event.stream === stream);
  const state = fold(payoutBatchDecider, events as unknown as RecordedEvent<PayoutBatchEvent>[]);
  const own = [...payouts].filter(([, payout]) => isOf(reference, payout));
  const statuses = new Set(own.map(([, { status }]) => status));
  switch (state.status) {
    case 'none':
      expect(own).toEqual([]);
      return 'none';
    case 'cancelled':
      for (const status of statuses) expect(['started', 'failed', 'rejected']).toContain(status);
      return state.status;
    case 'requested':
    case 'approved':
      expect(own.map(([each]) => each).sort()).toEqual([...state.request.references].sort());
      if (state.status === 'requested') expect([...statuses]).toEqual(['reserved']);
      else
        for (const [each, payout] of own) expect([each, isOnItsWay(payout)]).toEqual([each, true]);
      return state.status;
    case 'rejected':
      expect([...statuses]).toEqual(own.length === 0 ? [] : ['rejected']);
      return `rejected: ${state.reason}`;
  }
}

/**
 * True for a payout of an approved batch: it is approved with the batch, until its approval expires or one person
 * cancels it.
 */
function isOnItsWay(payout: Payout): boolean {
  if (payout.status === 'none' || payout.status === 'requested') return false;
  if (payout.status === 'reserved') return payout.lastExpiry !== undefined;
  if (payout.status !== 'rejected') return true;
  return payout.reason === 'cancelled' || payout.lastExpiry !== undefined;
}

function payoutOf(log: MemoryLog, reference: string): Payout {
  const events = log.events.filter(({ stream }) => stream === streamOf(reference));
  return fold(payoutDecider, events as unknown as RecordedEvent<PayoutEvent>[]);
}
