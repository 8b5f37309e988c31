import { type Verdict } from '#domain/rails';
import { fold, type RecordedEvent } from '#domain/event-sourcing';
import { instantFromMs } from '#domain/kernel';
import { type ReservationEvent, standingReservation } from '#domain/ledger';
import { MemoryLog } from '#testing';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  Allowances,
  conversationOf,
  NotingRail,
  Phones,
  startProcess,
  streamOf,
  type World,
} from '../test/scene.js';
import { Proposals } from '../test/operators.js';
import { lateSourceOf, type PayoutEvent } from './payout.events.js';
import { payoutDecider } from './payout.evolve.js';
import { type Payout, totalOf } from './payout.js';

const dayMs = 86_400_000;

/** Thrown when the process dies, so that its pending work never finishes. */
class Died extends Error {}

const references = ['p-0', 'p-1', 'p-2'] as const;
type Reference = (typeof references)[number];

type Action =
  | { readonly kind: 'request'; readonly amountMinor: bigint; readonly holder: string }
  | { readonly kind: 'decide'; readonly verdict: 'approve' | 'reject'; readonly holder: string }
  | { readonly kind: 'send'; readonly outcome: 'accepted' | 'refused' | 'unknown' | 'no float' }
  | { readonly kind: 'report'; readonly says: 'paid' | 'declined' }
  | { readonly kind: 'rule'; readonly says: 'paid' | 'failed'; readonly isProposed: boolean }
  | { readonly kind: 'cancel'; readonly holder: string }
  | { readonly kind: 'expire' }
  | { readonly kind: 'pause'; readonly isOver: boolean }
  | { readonly kind: 'complete' };
type Step =
  | { readonly kind: 'collect'; readonly amountMinor: bigint }
  | {
      readonly kind: 'act';
      readonly reference: Reference;
      readonly action: Action;
      /** The number of calls after which the process dies; undefined if it does not. */
      readonly diesAfter: number | undefined;
    };

const holder = fc.constantFrom('asha', 'joseph');
const amount = fc.bigInt({ min: 1n, max: 60n });
const action: fc.Arbitrary<Action> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('request' as const), amountMinor: amount, holder }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('decide' as const),
      verdict: fc.constantFrom('approve', 'approve', 'reject'),
      holder,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      outcome: fc.constantFrom('accepted', 'refused', 'unknown', 'no float'),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('report' as const),
      says: fc.constantFrom('paid', 'declined'),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('rule' as const),
      says: fc.constantFrom('paid', 'failed'),
      isProposed: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('complete' as const) }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('cancel' as const), holder }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('expire' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('pause' as const), isOver: fc.boolean() }),
  },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('collect' as const), amountMinor: amount }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('act' as const),
      reference: fc.constantFrom(...references),
      action,
      diesAfter: fc.option(fc.nat({ max: 10 }), { nil: undefined }),
    }),
  },
);

const beginning: readonly Action[] = [
  { kind: 'request', amountMinor: 30n, holder: 'asha' },
  { kind: 'decide', verdict: 'approve', holder: 'joseph' },
  { kind: 'send', outcome: 'unknown' },
];

const verdicts: Record<'paid' | 'declined', Verdict> = {
  paid: { kind: 'paid', resultCode: '0', receipt: 'NLK8RU72TW' },
  declined: { kind: 'declined', failureCode: 'rail_declined' },
};

/** A rail whose answer each order sets for itself. */
class TellingRail extends NotingRail {
  answer(outcome: 'accepted' | 'refused' | 'unknown' | 'no float'): void {
    this.floatMinor = outcome === 'no float' ? 0n : 1_000_000n;
    this.outcome =
      outcome === 'accepted'
        ? { kind: 'accepted', conversationId: 'AG_1' }
        : outcome === 'refused'
          ? { kind: 'refused', failureCode: 'rail_refused' }
          : { kind: 'unknown' };
  }
}

describe('any order of holders, customers, the rail and crashes', () => {
  it('no wallet is overdrawn but by a late success, nothing is sent or posted twice, nothing stays reserved', async () => {
    const seen = new Set<string>();
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(step, { minLength: 1, maxLength: 24 }),
        fc.nat({ max: 100 }),
        fc.array(fc.nat({ max: 3 }), {
          minLength: references.length,
          maxLength: references.length,
        }),
        async (scheduler, steps, initial, progress) => {
          const rail = new TellingRail();
          let creditsMinor = BigInt(initial);
          let made = 0;
          const log = new MemoryLog();
          const world: World = {
            log,
            rail,
            credits: () => creditsMinor,
            phones: new Phones(),
            allowances: new Allowances(),
            proposals: new Proposals(),
            nextId: () => `id-${(made += 1)}`,
            feeBasisPoints: 1000,
          };
          const calm = startProcess(world);
          // Each payout takes some steps before all actions run at once.
          for (const [number, reference] of references.entries())
            for (const action of beginning.slice(0, progress[number]))
              await act(calm, { reference, action }, rail);

          const run = async (one: Step): Promise<void> => {
            if (one.kind === 'collect') {
              await scheduler.schedule(Promise.resolve(), 'collect');
              creditsMinor += one.amountMinor;
              return;
            }
            let calls = 0;
            const at = async (what: string): Promise<void> => {
              await scheduler.schedule(Promise.resolve(), what);
              if (one.diesAfter !== undefined && (calls += 1) > one.diesAfter) throw new Died();
            };
            await act(startProcess(world, at), one, rail);
          };
          const running = Promise.allSettled(steps.map(run));
          await scheduler.waitFor(running);
          for (const settled of await running)
            if (settled.status === 'rejected' && !(settled.reason instanceof Died))
              throw settled.reason;

          // The worker finishes the work that crashes left.
          for (const reference of references) await calm.complete(reference);
          for (const status of judge(log, rail, creditsMinor)) seen.add(status);
        },
      ),
      { numRuns: 1500 },
    );
    // The runs reach every end. A generator that stays at the beginning would prove nothing.
    expect([...seen].sort()).toEqual([
      'approved',
      'completed',
      'completed late',
      'failed',
      'none',
      'rejected',
      'reserved',
      'started',
    ]);
  });
});

async function act(
  process: ReturnType<typeof startProcess>,
  { reference, action }: Pick<Extract<Step, { kind: 'act' }>, 'reference' | 'action'>,
  rail: TellingRail,
): Promise<void> {
  switch (action.kind) {
    case 'request':
      await process.request(reference, action.amountMinor, { holder: action.holder });
      return;
    case 'decide':
      await process.decide(reference, { verdict: action.verdict, holder: action.holder });
      return;
    case 'send':
      rail.answer(action.outcome);
      await process.send(reference);
      return;
    case 'report':
      await process.report(reference, { verdict: verdicts[action.says] });
      return;
    case 'rule':
      return rule(process, reference, action);
    case 'cancel':
      await process.cancel(reference, action.holder);
      return;
    case 'expire':
      // As if three days had passed.
      await process.expire(reference, instantFromMs(Date.now() + 4 * dayMs));
      return;
    case 'pause':
      await (action.isOver ? process.resume({ mode: 'demo' }) : process.pause({ mode: 'demo' }));
      return;
    case 'complete':
      await process.complete(reference);
  }
}

/**
 * One operator proposes, or another confirms the open proposal, for a payout that the worker has listed if possible.
 */
async function rule(
  process: ReturnType<typeof startProcess>,
  reference: Reference,
  { says, isProposed }: Extract<Action, { kind: 'rule' }>,
): Promise<void> {
  if (isProposed) {
    await process.agree(reference, 'otieno');
    return;
  }
  await process.flag(reference, 'no_word_from_rail');
  await process.flag(reference, 'float_missing');
  for (const amountMinor of says === 'paid' ? [30n, 1n] : [0n])
    await process.rule(
      reference,
      'amina',
      says === 'paid'
        ? { decision: 'paid', payment: { receipt: `STMT${reference}`, amountMinor } }
        : { decision: 'failed' },
    );
}

function judge(log: MemoryLog, rail: NotingRail, creditsMinor: bigint): readonly string[] {
  const reservations = log.events.filter(({ stream }) =>
    stream.startsWith('reservations-'),
  ) as unknown as RecordedEvent<ReservationEvent>[];
  let [runningMinor, lateMinor] = [0n, 0n];
  for (const { type, data } of reservations) {
    runningMinor += type === 'FundsReserved' ? data.amountMinor : -data.amountMinor;
    expect(data.totalMinor).toBe(runningMinor);
    if (data.source.endsWith('~late')) lateMinor += data.amountMinor;
    // Only a payment by the rail after its own decline may take more than is available.
    if (lateMinor === 0n) expect(runningMinor).toBeLessThanOrEqual(creditsMinor);
  }
  let spokenForMinor = 0n;
  const statuses = references.map((reference) => {
    const stream = streamOf(reference);
    const events = log.events.filter((event) => event.stream === stream);
    const state: Payout = fold(payoutDecider, events as unknown as RecordedEvent<PayoutEvent>[]);
    const orders = rail.orders.filter((order) => order.stream === stream);
    expect(orders.length).toBeLessThanOrEqual(1);
    for (const order of orders)
      expect(order).toMatchObject({ originatorConversationId: conversationOf(reference) });
    expect(events.filter(({ type }) => type === 'WalletPosted').length).toBeLessThanOrEqual(1);
    judgeEnds(events.map(({ type }) => type));
    const own = standingReservation(reservations, stream);
    const late = standingReservation(reservations, lateSourceOf(stream));
    if (state.status === 'none') {
      expect([own, late, orders.length]).toEqual([undefined, undefined, 0]);
      return 'none';
    }
    const totalMinor = totalOf(state.request);
    const isHeld = ['reserved', 'approved', 'started', 'completed'].includes(state.status);
    const standing = [own, late].flatMap((each) => (each ? [each.data.amountMinor] : []));
    expect({ status: state.status, standing }).toEqual({
      status: state.status,
      standing: isHeld ? [totalMinor] : [],
    });
    if (isHeld) spokenForMinor += totalMinor;
    if (orders.length > 0)
      expect('approvedBy' in state && state.approvedBy).not.toBe(state.request.holder);
    return late ? `${state.status} late` : state.status;
  });
  expect(runningMinor).toBe(spokenForMinor);
  return statuses;
}

/**
 * A payout that was rejected or sent back was never started by that approval. After a rejection, only a review may
 * follow: the rail reported a payment that the log does not know (PAY-62).
 */
function judgeEnds(types: readonly string[]): void {
  const started = types.indexOf('RailPayoutStarted');
  const rejected = types.indexOf('PayoutRejected');
  if (rejected >= 0) {
    expect(started).toBe(-1);
    expect(new Set(types.slice(rejected + 1))).toEqual(
      new Set(types.length > rejected + 1 ? ['ReviewFlagged'] : []),
    );
  }
  if (started >= 0) {
    expect(types.lastIndexOf('PayoutApprovalExpired')).toBeLessThan(started);
    // One for each approval that was not sent back.
    const count = (of: string): number => types.filter((type) => type === of).length;
    expect(count('PayoutApproved')).toBe(count('PayoutApprovalExpired') + 1);
  }
}
