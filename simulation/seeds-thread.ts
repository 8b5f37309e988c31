import { parentPort, workerData } from 'node:worker_threads';
import { bugNamed } from './options.js';
import { type Found, type Report, type Share } from './run-seeds.js';
import { runSchedule } from './schedule.js';

const perReport = 50;

// Errors are normal by the thousand here, and their stack traces are never read.
Error.stackTraceLimit = 0;

const share = workerData as Share;
const bug = share.bug === undefined ? undefined : bugNamed(share.bug);
let [schedules, steps] = [0, 0];
let found: Found[] = [];

function report(): void {
  parentPort?.postMessage({ schedules, steps, found } satisfies Report);
  [schedules, steps, found] = [0, 0, []];
}

for (let seed = share.from; seed < share.to; seed += share.stride) {
  const outcome = await runSchedule({ seed, bug });
  schedules += 1;
  steps += outcome.steps;
  if (outcome.violation) found.push({ seed, ...outcome.violation });
  if (schedules === perReport) report();
}
report();
