const secondMs = 1000;
const hourMs = 3600 * secondMs;

/** Often only the push's own answer is missing, and it is being recorded at this moment. */
const firstGapsMs = [300, 1000] as const;
const maxGapMs = 6 * hourMs;
/**
 * After this age the callback is left to people: the collection itself is listed for review at that age
 * (RAIL_REVIEW_AFTER).
 */
export const maxAgeMs = 48 * hourMs;
const firstOutageGapMs = secondMs;
const maxOutageGapMs = 10 * secondMs;
const maxPauseMs = 60 * secondMs;

/** From this try on the worker asks the rail. Earlier tries only repeat the report. */
export const firstAskingTry = firstGapsMs.length + 1;

/**
 * Returns when to try a callback again that settled nothing: the wait is as long as its age.
 * @param tries made so far, the last one included
 * @param ageMs since it was received
 * @returns milliseconds from now, or undefined if it is left to people
 */
export function nextTryInMs(tries: number, ageMs: number): number | undefined {
  const firstGap = firstGapsMs[tries - 1];
  if (firstGap !== undefined) return firstGap;
  if (ageMs >= maxAgeMs) return undefined;
  return Math.min(maxGapMs, Math.max(5 * secondMs, ageMs));
}

/**
 * Returns when to try a callback again that an unavailable server kept from being applied. The worker never gives it
 * up.
 */
export function nextTryAfterOutageMs(tries: number): number {
  return Math.min(maxOutageGapMs, firstOutageGapMs * 2 ** Math.min(tries, 10));
}

/**
 * Returns when to repeat a question that the rail did not take: soon at first, then after a tenth of its age, and after
 * a minute at most. While the queries of one mode pause for hours, thousands may wait; they must not block the other
 * mode's.
 */
export function nextQuestionInMs(tries: number, ageMs: number): number {
  return Math.max(nextTryAfterOutageMs(tries), Math.min(maxPauseMs, ageMs / 10));
}
