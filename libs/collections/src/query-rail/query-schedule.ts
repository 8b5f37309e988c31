/**
 * When the rail is asked what became of a push: after each delay, counted from the intent
 * (RAIL_QUERY_DELAYS). Silence is never a failure by itself.
 * @param intentMs when the intent was recorded, milliseconds of the epoch
 * @param asked how often the rail was asked already
 * @returns milliseconds of the epoch, or undefined where the schedule is at its end
 */
export function nextQueryAtMs(
  intentMs: number,
  asked: number,
  delaysMs: readonly number[],
): number | undefined {
  const delay = delaysMs[asked];
  return delay === undefined ? undefined : intentMs + delay;
}
