import { bugs } from './bugs/bugs.js';
import { runSchedule } from './schedule.js';
Error.stackTraceLimit = 0;
const [from, n] = [Number(process.argv[2] ?? 1), Number(process.argv[3] ?? 100)];
const name = process.argv[4];
for (const bug of name === 'all' ? bugs : [bugs.find((b) => b.name === name)]) {
  const t = performance.now();
  let steps = 0;
  const counts: Record<string, number> = {};
  const firsts: unknown[] = [];
  for (let seed = from; seed < from + n; seed += 1) {
    const outcome = await runSchedule({ seed, isTraced: n === 1, bug });
    steps += outcome.steps;
    if (n === 1) console.log(outcome.trace.join('\n'));
    if (outcome.violation) {
      const k = outcome.violation.invariant;
      counts[k] = (counts[k] ?? 0) + 1;
      if ((counts[k] ?? 0) < 3) firsts.push([seed, outcome.violation, outcome.steps]);
    }
  }
  console.log(bug?.name, counts, steps / n, (performance.now() - t) / n, 'ms each');
  console.log(firsts);
}
