import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Waits until a time that is due. A timer counts whole milliseconds and may end up to one before its time.
 * @param dueAt milliseconds of `performance.now()`
 * @returns the time to measure from: the due time, or now if the timer ended before it, so that no latency is negative
 */
export async function untilDue(dueAt: number): Promise<number> {
  await sleep(Math.max(0, dueAt - performance.now()));
  return Math.min(dueAt, performance.now());
}
