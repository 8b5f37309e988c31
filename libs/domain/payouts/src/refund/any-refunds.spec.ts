import { collectionDecider, type CollectionEvent, collectionStream } from '#domain/collections';
import { fold, type RecordedEvent } from '#domain/event-sourcing';
import { type Verdict } from '#domain/rails';
import { MemoryLog } from '#testing';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  Allowances,
  collected,
  conversationOf,
  NotingRail,
  phone,
  Phones,
  startProcess,
  streamOf,
  wallet,
  type World,
} from '../../test/scene.js';
import { type PayoutEvent } from '../payout.events.js';
import { payoutDecider } from '../payout.evolve.js';

/** Thrown when the process dies, so that its pending work never finishes. */
class Died extends Error {}

const collection = 'INV-1';
const postedMinor = 60n;
const references = ['R-0', 'R-1', 'R-2'] as const;

const action = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('refund' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('decide' as const),
      verdict: fc.constantFrom('approve' as const, 'approve' as const, 'reject' as const),
    }),
  },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('send' as const) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('report' as const),
      isPaid: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('cancel' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('complete' as const) }) },
);
type Action = typeof action extends fc.Arbitrary<infer A> ? A : never;

const step = fc.record({
  reference: fc.constantFrom(...references),
  action,
  /** The number of calls after which the process dies; undefined if it does not. */
  diesAfter: fc.option(fc.nat({ max: 10 }), { nil: undefined }),
});

/** The amount of each refund: a part of the collection, or undefined for all that is left. */
const amounts = fc.array(fc.option(fc.bigInt({ min: 1n, max: postedMinor }), { nil: undefined }), {
  minLength: references.length,
  maxLength: references.length,
});

const beginning: readonly Action[] = [
  { kind: 'refund' },
  { kind: 'decide', verdict: 'approve' },
  { kind: 'send' },
];
const progress = fc.array(fc.nat({ max: beginning.length }), {
  minLength: references.length,
  maxLength: references.length,
});

describe('whatever holders, the rail and crashes do with the refunds of one collection', () => {
  it('no more is claimed than it brought, and each claim ends as its refund did', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(step, { minLength: 1, maxLength: 20 }),
        amounts,
        progress,
        async (scheduler, steps, parts, begun) => {
          let made = 0;
          const log = new MemoryLog();
          const world: World = {
            log,
            rail: new NotingRail(),
            credits: () => 1000n,
            phones: new Phones(),
            allowances: new Allowances(),
            nextId: () => `id-${(made += 1)}`,
          };
          await collected(log, collection, postedMinor);
          // Each refund takes some steps before all actions run at once.
          const calm = startProcess(world);
          for (const [number, reference] of references.entries())
            for (const of of beginning.slice(0, begun[number]))
              await act(calm, { reference, part: parts[number] }, of);
          const running = Promise.allSettled(
            steps.map(async ({ reference, action: of, diesAfter }) => {
              let calls = 0;
              const at = async (what: string): Promise<void> => {
                await scheduler.schedule(Promise.resolve(), what);
                if (diesAfter !== undefined && (calls += 1) > diesAfter) throw new Died();
              };
              const part = parts[references.indexOf(reference)];
              await act(startProcess(world, at), { reference, part }, of);
            }),
          );
          await scheduler.waitFor(running);
          for (const settled of await running)
            if (settled.status === 'rejected' && !(settled.reason instanceof Died))
              throw settled.reason;
          for (const reference of references) await calm.complete(reference);
          for (const status of judge(log)) seen.add(status);
        },
      ),
      { numRuns: 1000 },
    );
    // The runs reach every end. A generator that stays at the beginning would prove nothing.
    expect([...seen].sort()).toEqual([
      ...['already_refunded', 'approved', 'completed', 'failed'],
      ...['none', 'rejected', 'reserved', 'started'],
    ]);
  });
});

async function act(
  process: ReturnType<typeof startProcess>,
  { reference, part }: { readonly reference: string; readonly part: bigint | undefined },
  of: Action,
): Promise<void> {
  switch (of.kind) {
    case 'refund':
      await process.refund(reference, {
        collection,
        to: phone,
        ...(part === undefined ? {} : { amountMinor: part }),
      });
      return;
    case 'decide':
      await process.decide(reference, { verdict: of.verdict, holder: 'joseph' });
      return;
    case 'send':
      await process.send(reference);
      return;
    case 'report': {
      const paid: Verdict = { kind: 'paid', resultCode: '0', receipt: `RCPT${reference}` };
      const verdict: Verdict = of.isPaid
        ? paid
        : { kind: 'declined', failureCode: 'rail_declined' };
      await process.report(reference, {
        originatorConversationId: conversationOf(reference),
        verdict,
      });
      return;
    }
    case 'cancel':
      await process.cancel(reference);
      return;
    case 'complete':
      await process.complete(reference);
  }
}

/** @returns the statuses of the refunds */
function judge(log: MemoryLog): readonly string[] {
  const eventsOf = (stream: string) => log.events.filter((event) => event.stream === stream);
  const { merchantId, mode } = wallet;
  const stream = collectionStream({ merchantId, mode, reference: collection });
  const state = fold(
    collectionDecider,
    eventsOf(stream) as unknown as RecordedEvent<CollectionEvent>[],
  );
  if (state.status !== 'completed') throw new TypeError('a refund changes no status');
  let [openMinor, refundedMinor, isPaidLate] = [0n, 0n, false];
  const statuses = references.map((reference) => {
    const events = eventsOf(streamOf(reference));
    const refund = fold(payoutDecider, events as unknown as RecordedEvent<PayoutEvent>[]);
    const claim = state.refunds.byPayout.get(reference)?.status;
    if (refund.status === 'none') {
      expect(claim).toBeUndefined();
      return 'none';
    }
    const { amountMinor } = refund.request;
    isPaidLate ||= events.some(({ type }) => type === 'RailDeclined');
    if (refund.status === 'completed') {
      expect(claim).toBe('paid');
      refundedMinor += amountMinor;
    } else if (refund.status === 'failed' || refund.status === 'rejected') {
      // A refund that lost the race never had a claim.
      expect(['released', undefined]).toContain(claim);
    } else {
      expect(claim).toBe('open');
      openMinor += amountMinor;
    }
    const isLoser = refund.status === 'rejected' && refund.reason === 'already_refunded';
    return isLoser ? 'already_refunded' : refund.status;
  });
  expect(state.refunds).toMatchObject({ openMinor, refundedMinor });
  // Only a payment by the rail after its own decline may give back more.
  if (!isPaidLate) expect(openMinor + refundedMinor).toBeLessThanOrEqual(postedMinor);
  return statuses;
}
