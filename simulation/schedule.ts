import { RailWorkOptions } from '#edges/rails';
import { Logger } from '@nestjs/common';
import { type Bug } from './bugs/bug.js';
import { Dice } from './core/dice.js';
import { Faults } from './core/faults.js';
import { Host } from './core/host.js';
import { Scheduler } from './core/scheduler.js';
import { Trace } from './core/trace.js';
import { type Violation, World } from './core/world.js';
import { checkEnd } from './oracle/end.js';
import { Oracle } from './oracle/oracle.js';
import { payoutStreamOf } from './names.js';
import { plentyMinor } from './payout-plan.js';
import { type Plan, planOf } from './plan.js';
import { Api } from './processes/api.js';
import { Callers } from './processes/callers.js';
import { Clients } from './processes/clients.js';
import { Holders } from './processes/holders.js';
import { Operators } from './processes/operators.js';
import { type Fixture, type Parts, standardParts } from './processes/parts.js';
import { PayoutOperators } from './processes/payout-operators.js';
import { startProjector } from './processes/projector.js';
import { planTakeover } from './processes/regions.js';
import { Requests } from './processes/requests.js';
import { startWorker } from './processes/worker.js';
import { AirtelPayoutServer } from './servers/airtel-payout-server.js';
import { AirtelServer } from './servers/airtel-server.js';
import { RailBooks } from './servers/books.js';
import { LeaseRow } from './servers/lease.js';
import { MemoryLog } from './servers/log.js';
import { giveLost } from './servers/lost-orders.js';
import { openAccounts } from './servers/opening.js';
import { PayoutTables } from './servers/payout-records.js';
import { type BookedOrder, PayoutServer } from './servers/payout-server.js';
import { QueryTimetable } from './servers/query-timetable.js';
import { pushTimeoutMs } from './servers/push-times.js';
import { RailServer } from './servers/rail-server.js';
import { RecordTables } from './servers/records.js';
import { ViewTables } from './servers/views.js';

export interface ScheduleOptions {
  readonly seed: number;
  readonly bug?: Bug | undefined;
  /** Actions and faults that are left out. */
  readonly spared?: ReadonlySet<string>;
  readonly isTraced?: boolean;
}

export interface Outcome {
  readonly seed: number;
  readonly violation: Violation | undefined;
  /** The actions that were taken and the faults that happened, by label. */
  readonly happened: readonly string[];
  readonly trace: readonly string[];
  readonly steps: number;
}

const hourMs = 3_600_000;
const startMs = Date.UTC(2026, 0, 5, 6);
const maxMs = 96 * hourMs;
/** A schedule with more steps than this is in an endless loop. */
const maxSteps = 400_000;
const reviewAfterMs = 48 * hourMs;

/** Runs the schedule of one seed to its end, or to the first violation. */
// eslint-disable-next-line max-lines-per-function -- the parts of a run know each other
export async function runSchedule(options: ScheduleOptions): Promise<Outcome> {
  const { seed, bug, spared = new Set(), isTraced = false } = options;
  const plan = planOf(seed);
  const faults = new Faults(seed, spared);
  const scheduler: Scheduler = new Scheduler(
    startMs,
    () => views.checkpoint.position === log.head,
    (ms) => (lease.expiresAtMs += ms),
  );
  const trace = new Trace(isTraced, () => scheduler.nowMs - startMs);
  const world = new World(seed, scheduler, faults, trace);
  const oracle = new Oracle(world);
  const lease = new LeaseRow();
  const log = new MemoryLog(
    () => world.nowMs,
    (events) => {
      oracle.appended(events);
    },
  );
  const views = new ViewTables(lease, (batch) => {
    oracle.committed(batch);
  });
  const fixture = fixtureOf({
    world,
    log,
    views,
    plan,
    oracle,
    deliver: (sent) => {
      callers.deliver(sent);
    },
    deliverHint: (sent) => {
      callers.deliverHint(sent);
    },
    deliverReport: (sent) => {
      callers.deliverReport(sent);
    },
    onOrder: (order) => {
      oracle.payouts.ordered(order);
      payoutOperators?.ordered(order);
      for (const forged of plan.payouts.forgeries)
        if (payoutStreamOf(forged.addressOf) === order.stream)
          callers.forgeResult(forged, order.addresses.resultUrl, fixture.books);
    },
  });
  oracle.watch(fixture);
  openAccounts(log, plan.payouts);
  if (world.faults.planned('the log has lost what the rail was given')) giveLost(fixture);
  const standard = standardParts(fixture);
  const parts: Parts = { ...standard, ...bug?.parts(standard, fixture, oracle) };
  Logger.overrideLogger(false);
  const start = (numbers: readonly number[]): Host<Api>[] =>
    startProcesses(world, parts, fixture, numbers);
  const apis = start([1, 2]);
  const callers = new Callers(world, apis, oracle);
  const requests = new Requests(world, apis, oracle);
  new Clients(requests, oracle, plan).start();
  new Holders(requests, oracle.payouts, plan).start();
  if (plan.hasOperators) new Operators(parts, fixture, oracle, plan).start();
  const hasRulings = plan.hasOperators && plan.payouts.payouts.length > 0;
  const payoutOperators = hasRulings ? new PayoutOperators(parts, fixture, oracle) : undefined;
  payoutOperators?.start();
  for (const forgery of plan.forgeries)
    callers.forge(forgery, fixture.rail, plan.channels.get(forgery.tokenOf ?? '') ?? 'mpesa');
  planFaults(world, plan, fixture);
  planTakeover(world, plan, {
    apis,
    start,
    lose: () => {
      parts.loseAtTakeover();
    },
  });
  const steps = await runToEnd(world);
  if (!world.violation) checkEnd(world, oracle, plan.references);
  const { violation } = world;
  if (violation) world.tell(() => `VIOLATED: ${violation.invariant} (${violation.why})`);
  return {
    seed,
    violation,
    happened: [...faults.happened],
    trace: trace.lines,
    steps,
  };
}

function fixtureOf({
  world,
  log,
  views,
  plan,
  oracle,
  deliver,
  deliverHint,
  deliverReport,
  onOrder,
}: Pick<Fixture, 'world' | 'log' | 'views'> & {
  plan: Plan;
  oracle: Oracle;
  deliver: Callers['deliver'];
  deliverHint: Callers['deliverHint'];
  deliverReport: Callers['deliverReport'];
  onOrder: (order: BookedOrder) => void;
}): Fixture {
  const { seed } = world;
  const records = new RecordTables(
    () => world.nowMs,
    (...question) => {
      oracle.handedOut(...question);
    },
  );
  const { queryDelaysMs } = plan;
  const jitterOf = (question: string): number => new Dice(seed, question).fraction();
  const dice = new Dice(seed, 'jitter');
  const onPush: ConstructorParameters<typeof RailServer>[2] = (request) => {
    oracle.pushed(request);
  };
  const { floatMinor } = plan.payouts;
  const servers = {
    rail: new RailServer(world, deliver, onPush),
    airtel: new AirtelServer(world, deliverHint, onPush),
    payoutRail: new PayoutServer(world, deliverReport, onOrder, floatMinor),
    airtelPayouts: new AirtelPayoutServer(world, onOrder, floatMinor),
  };
  return {
    world,
    log,
    views,
    records,
    ...servers,
    books: new RailBooks(servers),
    timetable: new QueryTimetable(views, records, queryDelaysMs, jitterOf),
    payoutPlan: plan.payouts,
    payouts: new PayoutTables(
      () => world.nowMs,
      () => views,
      queryDelaysMs,
      (stream) => [...records.reports.values()].some((message) => message.stream === stream),
    ),
    floats: new Map(),
    work: new RailWorkOptions({
      queryDelaysMs,
      pushTimeoutMs,
      reviewAfterMs,
      payoutFloatWaitMs: plan.payouts.floatWaitMs,
      payoutMaxAgeMs: plan.payouts.maxAgeMs,
      random: () => dice.fraction(),
    }),
  };
}

/** Starts one of each for each number: two in a region, as in production. @returns the APIs */
function startProcesses(
  world: World,
  parts: Parts,
  fixture: Fixture,
  numbers: readonly number[],
): Host<Api>[] {
  for (const number of numbers) {
    new Host(world, `worker-${number}`, (life) => {
      startWorker(life, parts, fixture);
    });
    new Host(world, `projector-${number}`, (life) => {
      startProjector(life, parts);
    });
  }
  return numbers.map(
    (number) => new Host(world, `api-${number}`, (life) => new Api(life, parts, fixture)),
  );
}

function planFaults(world: World, plan: Plan, { rail, ...servers }: Fixture): void {
  world.scheduler.add({
    dueMs: startMs + plan.payouts.floatTopUpAtMs,
    tie: 0,
    run: () => {
      servers.payoutRail.floatMinor += plentyMinor;
      servers.airtelPayouts.floatMinor += plentyMinor;
    },
  });
  const { busyRail } = plan;
  if (busyRail && world.faults.planned('the rail takes no questions')) {
    rail.busy = { fromMs: startMs + busyRail.fromMs, untilMs: startMs + busyRail.untilMs };
    world.tell(() => 'the rail will take no questions for a while');
  }
  for (const outage of plan.outages)
    if (world.faults.planned(outage.label)) {
      const [fromMs, untilMs] = [
        startMs + outage.fromMs,
        startMs + Math.min(outage.untilMs, plan.faultsUntilMs),
      ];
      world.outages.push({ server: outage.server, fromMs, untilMs });
      world.tell(() => `${outage.label} is to come`);
    }
  world.scheduler.add({
    dueMs: startMs + plan.faultsUntilMs,
    tie: 0,
    run: () => {
      world.tell(() => 'from here on nothing goes wrong any more');
      world.faults.end();
    },
  });
}

async function runToEnd(world: World): Promise<number> {
  let steps = 0;
  await drained();
  while (!world.violation && world.scheduler.step(startMs + maxMs)) {
    steps += 1;
    await drained();
    if (steps === maxSteps) world.violate('a schedule comes to rest', `it took ${maxSteps} steps`);
  }
  return steps;
}

/** Resolves when every continuation of the last step has run. */
function drained(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
