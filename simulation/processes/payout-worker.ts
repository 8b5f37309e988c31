import { payoutBatchKeyOf, payoutKeyOf } from '#domain/payouts';
import {
  FloatStep,
  PayoutAgeStep,
  PayoutPace,
  type CallbackKeys,
  type Inbox,
  PayoutQuestions,
  PayoutQueryStep,
  PayoutReviewStep,
  PayoutSendStep,
  type QueryThrottle,
  type RailTable,
  type PayoutQueries,
} from '#edges/rails';
import { retainedNumbers, payoutBatchesToSettle, payoutsToSettle } from '#views/payouts';
import { type Life } from '../core/life.js';
import { VirtualClock, VirtualTimer } from '../core/ports.js';
import { plentyMinor } from '../payout-plan.js';
import { earliestOf } from '../servers/payout-records.js';
import {
  batchesBehind,
  abandonedPayouts,
  numbersDueMs,
  numbersOldAfterMs,
  simulatedDatabase,
  waitingSinceMs,
} from '../servers/payout-view-ports.js';
import { statement } from '../servers/record-ports.js';
import { metrics } from './metrics.js';
import { channels } from '../names.js';
import { type Fixture } from './parts.js';
import { type PayoutProcess } from './payouts.js';

/** The values of apps/worker, except for the float, whose loop would be most of a schedule. */
const sendIdleMs = 300;
const queryIdleMs = 500;
const reviewIdleMs = 10_000;
/** While questions are held back, there is nothing to look for. */
const heldBackIdleMs = 5000;
const unfinishedIdleMs = 5000;
const numbersIdleMs = 600_000;
const floatIdleMs = 300_000;
const abandonedAfterMs = 30_000;
const maxPayouts = 50;
const maxBatches = 5;
const maxNumbers = 200;

export interface WorkerLoop {
  readonly name: string;
  readonly idleMs: number;
  readonly step: () => Promise<'idle' | 'busy'>;
  /** Returns when a step would find something. */
  readonly nextDueMs: () => number | undefined;
}

/** The worker's loops for payouts. */
// eslint-disable-next-line max-lines-per-function -- one table of loops, which reads best whole
export function payoutLoops(
  life: Life,
  fixture: Fixture,
  payouts: PayoutProcess,
  {
    queries,
    throttle,
    inbox,
    keys,
    rails,
  }: {
    readonly queries: PayoutQueries;
    readonly throttle: QueryThrottle;
    readonly inbox: Inbox;
    readonly keys: CallbackKeys;
    readonly rails: RailTable;
  },
): readonly WorkerLoop[] {
  const { views, work } = fixture;
  const database = simulatedDatabase(life, fixture);
  const [clock, timer] = [new VirtualClock(life), new VirtualTimer(life)];
  const pace = new PayoutPace(payouts.rails, clock, timer, payouts.refusals);
  const sends = new PayoutSendStep(database, payouts.client, pace, metrics);
  const questions = new PayoutQuestions(payouts.rails, inbox, keys);
  const asks = new PayoutQueryStep(queries, questions, new VirtualClock(life), throttle);
  const reviews = new PayoutReviewStep(database, payouts.client, queries, work);
  const ages = new PayoutAgeStep(database, payouts.client, work, clock);
  const floats = new FloatStep(payouts.rails, rails, payouts.floats, metrics);
  const approved = () => views.payouts.ofStep('approved');
  const isWaiting = (stream: string): boolean => {
    const row = views.rows.get(stream);
    return row !== undefined && (row.waiting_since !== null || row.under_review);
  };
  const isUnflagged = ({ stream }: { readonly stream: string }): boolean =>
    views.rows.get(stream)?.under_review !== true;
  return [
    {
      name: 'payouts',
      // Payouts that wait for the float are checked when the float may have changed.
      get idleMs() {
        const isIdle =
          views.payouts.isPaused || approved().every(({ stream }) => isWaiting(stream));
        return isIdle ? floatIdleMs : sendIdleMs;
      },
      step: () => sends.step(),
      nextDueMs: () => earliestOf(approved().map(({ sinceMs }) => sinceMs)),
    },
    {
      name: 'payout-queries',
      get idleMs() {
        const about = { mode: 'demo', about: 'payouts' } as const;
        const isTaken = channels.every((channel) => throttle.mayAsk({ channel, ...about }));
        return isTaken ? queryIdleMs : heldBackIdleMs;
      },
      step: () => asks.step(),
      nextDueMs: () => fixture.payouts.nextQueryDueMs(),
    },
    {
      name: 'payout-ages',
      idleMs: reviewIdleMs,
      step: () => ages.step(),
      nextDueMs: () => earliestOf(approved().map(({ sinceMs }) => sinceMs + work.payoutMaxAgeMs)),
    },
    {
      name: 'payout-reviews',
      idleMs: reviewIdleMs,
      step: () => reviews.step(),
      nextDueMs: () =>
        earliestOf([
          ...views.payouts
            .ofStep('started')
            .filter(isUnflagged)
            .map(({ sinceMs }) => sinceMs + work.reviewAfterMs),
          ...approved()
            .filter((row) => isUnflagged(row) && isWaiting(row.stream))
            .map(({ stream }) => waitingSinceMs(views, stream) + work.payoutFloatWaitMs),
        ]),
    },
    {
      name: 'rail-float',
      idleMs: floatIdleMs,
      step: () => floats.step(),
      nextDueMs: () => (approved().length > 0 && isFloatShort(fixture) ? 0 : undefined),
    },
    ...repairLoops(life, fixture, payouts),
  ];
}

/** The worker's loops for payouts and batches that another process left unfinished. */
function repairLoops(life: Life, fixture: Fixture, payouts: PayoutProcess): readonly WorkerLoop[] {
  const { views } = fixture;
  return [
    {
      name: 'unfinished-payouts',
      idleMs: unfinishedIdleMs,
      step: () => settleAbandoned(life, fixture, payouts),
      nextDueMs: () =>
        earliestOf(abandonedPayouts(views).map(([, sinceMs]) => sinceMs + abandonedAfterMs)),
    },
    {
      name: 'unfinished-payout-batches',
      idleMs: unfinishedIdleMs,
      step: () => settleAbandonedBatches(life, fixture, payouts),
      nextDueMs: () =>
        earliestOf(batchesBehind(views).map(([, sinceMs]) => sinceMs + abandonedAfterMs)),
    },
    {
      name: 'left-numbers',
      idleMs: numbersIdleMs,
      step: () => deleteUnneeded(life, fixture, payouts),
      nextDueMs: () => numbersDueMs(fixture.payouts, views),
    },
  ];
}

/** True if an answer about the float could matter. If there is plenty, asking only makes a schedule longer. */
function isFloatShort({ payoutPlan }: Fixture): boolean {
  return payoutPlan.floatMinor < plentyMinor;
}

/** Like apps/worker's unfinishedPayouts. */
async function settleAbandoned(
  life: Life,
  fixture: Fixture,
  payouts: PayoutProcess,
): Promise<'idle'> {
  const found = { olderThanMs: abandonedAfterMs, limit: maxPayouts };
  for (const stream of await payoutsToSettle(simulatedDatabase(life, fixture), found)) {
    const key = payoutKeyOf(stream);
    if (key) await payouts.complete(key, life.label(`settles ${stream}`));
  }
  return 'idle';
}

/** Like apps/worker's unfinishedPayoutBatches. */
async function settleAbandonedBatches(
  life: Life,
  fixture: Fixture,
  payouts: PayoutProcess,
): Promise<'idle'> {
  const found = { olderThanMs: abandonedAfterMs, limit: maxBatches };
  for (const stream of await payoutBatchesToSettle(simulatedDatabase(life, fixture), found)) {
    const key = payoutBatchKeyOf(stream);
    if (key) await payouts.completeBatch(key, life.label(`settles ${stream}`));
  }
  return 'idle';
}

/** Like apps/worker's LeftNumbers. */
async function deleteUnneeded(
  life: Life,
  fixture: Fixture,
  payouts: PayoutProcess,
): Promise<'idle'> {
  const options = { after: '', oldAfterMs: numbersOldAfterMs, limit: maxNumbers };
  const unneeded: string[] = [];
  for (const kept of await retainedNumbers(simulatedDatabase(life, fixture), options)) {
    const { id, stream, standing, isOld } = kept;
    if (standing === 'needed' || (standing !== 'over' && !isOld)) continue;
    const key = payoutKeyOf(stream);
    const mayGo =
      standing !== 'unknown' ||
      (key && !(await payouts.complete(key, life.label(`looks for ${stream}`))).ok);
    if (mayGo) unneeded.push(id);
  }
  await statement(life, `deletes ${unneeded.length} numbers`, () => {
    for (const id of unneeded) fixture.payouts.phones.delete(id);
  });
  return 'idle';
}
