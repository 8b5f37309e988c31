import {
  Backoff,
  CallbackKeys,
  CallbackQuestions,
  ExtraQuestions,
  FinalQuery,
  FinalStatusCheck,
  InboxReports,
  InboxStep,
  LeasedEntries,
  OpenedCallbacks,
  PayoutInbox,
  QueriedAnswers,
  QueryStep,
  QueryThrottle,
  RailQuestions,
  RailReferences,
  type RailTable,
  TimeoutStep,
  UnverifiedCallbacks,
} from '#edges/rails';
import { type AskableRail } from '#views/rail-queries';
import { earliestOf } from '../servers/payout-records.js';
import { Dice } from '../core/dice.js';
import { type Life } from '../core/life.js';
import { VirtualClock, VirtualTimer } from '../core/ports.js';
import { SimulatedExtraQueries, SimulatedReferenceView } from '../servers/record-ports.js';
import { overdueAtMs, SimulatedOverdueCollections } from '../servers/overdue.js';
import { collectionBus } from './bus.js';
import { loop } from './loop.js';
import { metrics } from './metrics.js';
import { type Fixture, keyring, type Parts } from './parts.js';
import { payoutLoops } from './payout-worker.js';
import { PayoutProcess } from './payouts.js';

/** The value of apps/worker. */
const inboxIdleMs = 200;
const queryIdleMs = 500;
const timeoutIdleMs = 10_000;
/** While questions are held back, there is nothing to look for (QueryThrottle pauses for up to a minute). */
const heldBackIdleMs = 5000;
const heldBackTimeoutIdleMs = 120_000;

/** Starts the worker's loops. */
export function startWorker(life: Life, parts: Parts, fixture: Fixture): void {
  const rails = parts.rails();
  const askedRails = askedRailsOf(rails);
  const ids = parts.ids(life);
  const store = parts.store(life);
  const [timer, clock] = [new VirtualTimer(life), new VirtualClock(life)];
  const pipeline = parts.pipeline(store, ids);
  const bus = collectionBus(parts, pipeline);
  const reports = parts.messages(life);
  const payouts = new PayoutProcess(life, parts, fixture);
  const payoutQueries = parts.payoutQueries(life);
  const keys = new CallbackKeys(keyring, ids, rails);
  const references = new RailReferences(
    store,
    new SimulatedReferenceView(life, fixture.views),
    timer,
  );
  const claims = parts.claims(parts.claimedReferences(life), references);
  const backoff = new Backoff(timer, fixture.work);
  const throttle = new QueryThrottle(clock, backoff, rails, metrics);
  const questions = new RailQuestions(parts.rail(life), throttle, reports, keys);
  const answers = new QueriedAnswers(bus, claims, questions, backoff);
  const schedule = parts.schedule(life);
  const queries = new QueryStep(schedule, questions, answers, bus);
  const inbox = new InboxStep(
    new LeasedEntries(parts.inbox(life), metrics),
    new InboxReports(
      new OpenedCallbacks(keys, reports),
      new UnverifiedCallbacks(bus, ofCallbacks(life, fixture, questions), claims, fixture.work),
      new PayoutInbox(payouts.client, payoutQueries, keys, reports),
      noNotices,
    ),
  );
  const run = (name: string, step: () => Promise<'idle' | 'busy'>, pause: () => Promise<void>) =>
    void loop({ life, name, timer, step, pause });
  run(
    'inbox',
    () => inbox.step(),
    () => untilDue(life, inboxIdleMs, () => fixture.records.inboxDueMs()),
  );
  run(
    'queries',
    () => queries.step(),
    () => untilAskable(life, fixture, questions, askedRails),
  );
  const ofPayouts = { queries: payoutQueries, throttle, inbox: parts.inbox(life), keys, rails };
  for (const each of payoutLoops(life, fixture, payouts, ofPayouts))
    run(each.name, each.step, () => untilDue(life, each.idleMs, each.nextDueMs));
  const overdue = new SimulatedOverdueCollections(life, fixture.views, fixture.work.reviewAfterMs);
  const timeouts = new TimeoutStep(
    overdue,
    new FinalStatusCheck(bus, new FinalQuery(questions, answers, schedule), ids, rails),
    questions,
    metrics,
  );
  run(
    'silence',
    () => timeouts.step(),
    () => {
      const idleMs = askedRails.every((rail) => questions.mayAsk(rail))
        ? timeoutIdleMs
        : heldBackTimeoutIdleMs;
      return untilDue(life, idleMs, () => overdueAtMs(fixture.views, fixture.work.reviewAfterMs));
    },
  );
}

function askedRailsOf(rails: RailTable): readonly AskableRail[] {
  return rails.all.map(({ channel, usesOurReference }) => ({
    channel,
    mode: 'demo',
    ...(usesOurReference && { usesOurReference }),
  }));
}

/**
 * Waits until a question is due that its rail takes. A rail that takes none is looked at again in seconds, without a step
 * that would find nothing.
 */
async function untilAskable(
  life: Life,
  { timetable }: Fixture,
  questions: RailQuestions,
  askedRails: readonly AskableRail[],
): Promise<void> {
  const dueMs = (rails: readonly AskableRail[]): number | undefined =>
    earliestOf(rails.flatMap((rail) => timetable.nextDueMs(life.world.nowMs, rail) ?? []));
  for (;;) {
    const [taking, holding] = [true, false].map((may) =>
      askedRails.filter((rail) => questions.mayAsk(rail) === may),
    ) as [AskableRail[], AskableRail[]];
    const heldUntilMs = life.world.nowMs + heldBackIdleMs / 2;
    await untilDue(life, taking.length > 0 ? queryIdleMs : heldBackIdleMs, () => {
      const heldMs = dueMs(holding);
      const laterMs = heldMs === undefined ? [] : [Math.max(heldMs, heldUntilMs)];
      const soonMs = dueMs(taking);
      return earliestOf([...laterMs, ...(soonMs === undefined ? [] : [soonMs])]);
    });
    const nowTakingMs = dueMs(askedRails.filter((rail) => questions.mayAsk(rail)));
    if (nowTakingMs !== undefined && nowTakingMs <= life.world.nowMs) return;
  }
}

/** The schedules have no payments without a push. */
const noNotices = {
  apply: () => Promise.reject(new TypeError('a notice is in the inbox')),
};

function ofCallbacks(
  life: Life,
  { records }: Fixture,
  questions: RailQuestions,
): CallbackQuestions {
  const extras = new SimulatedExtraQueries(life, records);
  return new CallbackQuestions(
    questions,
    new ExtraQuestions(questions, extras, new VirtualClock(life)),
  );
}

/** Returns the pause of a polling loop, without the polls that would find nothing. */
function untilDue(life: Life, idleMs: number, nextDueMs: () => number | undefined): Promise<void> {
  const { world } = life;
  const dice = new Dice(world.seed, life.label(`waits ${idleMs} ms`));
  return new Promise((resolve) => {
    if (life.isOver) return;
    world.scheduler.park({
      owner: life,
      earliestMs: world.nowMs + idleMs * dice.fraction(),
      nextDueMs,
      run: resolve,
    });
  });
}
