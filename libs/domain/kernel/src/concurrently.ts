import { type Timer } from './clock.js';
import { DependencyUnavailable } from './result.js';

/**
 * Runs the work on every item, at most `max` at a time. Rejects with the failures once all have ended; if a dependency
 * is unavailable for all that fail, with that error. (p-map would wrap a single failure too, and callers need its
 * class.)
 */
export async function concurrently<T>(
  items: readonly T[],
  max: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (let next = left.next(); !next.done; next = left.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failures.push(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(max, items.length) }, worker));
  if (failures.length === 1) throw failures[0];
  const [unavailable] = failures.filter((error) => error instanceof DependencyUnavailable);
  if (unavailable && failures.every((error) => error instanceof DependencyUnavailable))
    throw unavailable;
  if (failures.length > 1) throw new AggregateError(failures, 'several items failed');
}

/**
 * Returns the promise's value, or undefined if it takes longer than `ms`; the work continues. It waits with the Timer
 * port, so it works in virtual time. (An adapter of p-timeout to that port would be longer than this.)
 */
export async function within<T>(
  timer: Timer,
  promise: Promise<T>,
  ms: number,
): Promise<T | undefined> {
  const over = new AbortController();
  // The caller has its answer already, so a late failure can be reported to no one.
  promise.catch(() => undefined);
  try {
    return await Promise.race([promise, timer.sleep(ms, over.signal).then(() => undefined)]);
  } finally {
    // Without a reason, each call would create an error with its stack.
    over.abort('answered');
  }
}
