import { runSchedule } from './schedule.js';
const [from, n] = [Number(process.argv[2] ?? 1), Number(process.argv[3] ?? 100)];
const t = performance.now();
let steps = 0;
const counts: Record<string, number> = {};
for (let seed = from; seed < from + n; seed += 1) {
  const outcome = await runSchedule({ seed, isTraced: n === 1 });
  steps += outcome.steps;
  if (n === 1) console.log(outcome.trace.join('\n'));
  if (outcome.violation) {
    const k = outcome.violation.invariant;
    counts[k] = (counts[k] ?? 0) + 1;
    if ((counts[k] ?? 0) < 4) console.log(seed, outcome.violation, outcome.steps);
  }
}
console.log(counts, steps / n, (performance.now() - t) / n, 'ms each');
