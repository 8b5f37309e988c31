import { type Bug } from './bugs/bug.js';
import { type Outcome, runSchedule } from './schedule.js';

/** The most runs, so that shrinking takes seconds. */
const maxRuns = 600;

/**
 * Removes actions and faults from a failing schedule, in ever smaller groups (delta debugging), as long as the same
 * invariant breaks. The remaining ones are all that is needed.
 * @returns the smallest schedule that was found, traced
 */
export async function shrink(seed: number, bug: Bug | undefined): Promise<Outcome> {
  const whole = await runSchedule({ seed, bug });
  const invariant = whole.violation?.invariant;
  if (invariant === undefined) throw new RangeError(`seed ${seed} breaks nothing`);
  const spared = new Set<string>();
  let left = whole.happened;
  let runs = 1;
  for (let size = Math.ceil(left.length / 2); size >= 1; size = Math.floor(size / 2))
    for (let from = 0; from < left.length && runs < maxRuns;) {
      const group = left.slice(from, from + size);
      const tried = await runSchedule({ seed, bug, spared: new Set([...spared, ...group]) });
      runs += 1;
      if (tried.violation?.invariant === invariant) {
        for (const label of group) spared.add(label);
        // With one removed, another fault may happen instead, and it now belongs to the rest.
        left = tried.happened;
      } else from += size;
    }
  return runSchedule({ seed, bug, spared, isTraced: true });
}
