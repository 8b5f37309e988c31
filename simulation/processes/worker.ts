import {
  Backoff,
  CallbackKeys,
  DoubtfulCallbacks,
  HeldEntries,
  InboxStep,
  LastLook,
  LastQuestion,
  OpenedCallbacks,
  QueriedAnswers,
  QueryPace,
  QueryStep,
  RailQuestions,
  RailReferences,
  ReportMetrics,
  SilenceStep,
} from '#edges/rail-mpesa';
import { Dice } from '../core/dice.js';
import { type Life } from '../core/life.js';
import { VirtualClock, VirtualTimer } from '../core/ports.js';
import { SimulatedReferenceView } from '../servers/record-ports.js';
import { overdueAtMs, SimulatedSilence } from '../servers/silence.js';
import { collectionBus } from './bus.js';
import { loop } from './loop.js';
import { metrics } from './metrics.js';
import { type Ground, keyring, type Parts } from './parts.js';

/** As apps/worker has them. */
const inboxIdleMs = 200;
const queryIdleMs = 500;
const silenceIdleMs = 10_000;
/** While questions are held back, there is nothing to look for (QueryPace pauses for up to a minute). */
const heldBackIdleMs = 5000;
const heldBackSilenceIdleMs = 120_000;

/** The worker's loops, started. */
export function startWorker(life: Life, parts: Parts, ground: Ground): void {
  const ids = parts.ids(life);
  const store = parts.store(life);
  const timer = new VirtualTimer(life);
  const clock = new VirtualClock(life);
  const pipeline = parts.pipeline(store, ids);
  const bus = collectionBus(parts, pipeline, store);
  const words = parts.words(life);
  const keys = new CallbackKeys(keyring, ids);
  const references = new RailReferences(
    store,
    new SimulatedReferenceView(life, ground.views),
    clock,
    timer,
  );
  const claims = parts.claims(parts.checkouts(life), references);
  const backoff = new Backoff(timer, ground.work);
  const pace = new QueryPace(clock, backoff, metrics);
  const questions = new RailQuestions(parts.rail(life), pace, words, keys);
  const answers = new QueriedAnswers(bus, claims, questions, backoff);
  const schedule = parts.schedule(life);
  const queries = new QueryStep(schedule, questions, answers, new ReportMetrics(metrics));
  const inbox = new InboxStep(
    new HeldEntries(parts.inbox(life), metrics),
    new OpenedCallbacks(keys, words),
    new DoubtfulCallbacks(bus, questions, claims, ground.work),
    clock,
  );
  const run = (name: string, step: () => Promise<'idle' | 'busy'>, pause: () => Promise<void>) =>
    void loop({ life, name, timer, step, pause });
  run(
    'inbox',
    () => inbox.step(),
    () => untilDue(life, inboxIdleMs, () => ground.records.inboxDueMs()),
  );
  run(
    'queries',
    () => queries.step(),
    () => {
      const idleMs = questions.mayAsk('demo') ? queryIdleMs : heldBackIdleMs;
      return untilDue(life, idleMs, () => ground.timetable.nextDueMs(life.world.nowMs));
    },
  );
  const silent = new SimulatedSilence(life, ground.views, ground.work.reviewAfterMs);
  const silence = new SilenceStep(
    silent,
    new LastLook(bus, new LastQuestion(questions, answers, schedule), ids),
    questions,
    metrics,
  );
  run(
    'silence',
    () => silence.step(),
    () => {
      const idleMs = questions.mayAsk('demo') ? silenceIdleMs : heldBackSilenceIdleMs;
      return untilDue(life, idleMs, () => overdueAtMs(ground.views, ground.work.reviewAfterMs));
    },
  );
}

/** The pause of a loop that polls, all polls left out that would find nothing. */
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
