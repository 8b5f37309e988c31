const secondMs = 1000;
const hourMs = 3600 * secondMs;

/** Often all that is missing is the push's own answer, which is being recorded at this moment. */
const firstGapsMs = [300, 1000] as const;
const maxGapMs = 6 * hourMs;
/** Then people look at it: the collection itself comes up for review after as long (RAIL_REVIEW_AFTER). */
export const maxAgeMs = 48 * hourMs;
const firstOutageGapMs = secondMs;
const maxOutageGapMs = 10 * secondMs;
const maxPauseMs = 60 * secondMs;

/** From this try on the rail is asked; before, the report is only repeated. */
export const firstAskingTry = firstGapsMs.length + 1;

/**
 * When a callback that settled nothing is tried again: as long from now as it has waited already.
 * @param tries made so far, the last one included
 * @param ageMs since it was received
 * @returns milliseconds from now, or undefined where it is left to people
 */
export function nextTryInMs(tries: number, ageMs: number): number | undefined {
  const firstGap = firstGapsMs[tries - 1];
  if (firstGap !== undefined) return firstGap;
  if (ageMs >= maxAgeMs) return undefined;
  return Math.min(maxGapMs, Math.max(5 * secondMs, ageMs));
}

/** When a callback is tried again that a server's absence kept from being applied; never given up. */
export function nextTryAfterOutageMs(tries: number): number {
  return Math.min(maxOutageGapMs, firstOutageGapMs * 2 ** Math.min(tries, 10));
}

/**
 * When the rail is asked again that did not take the question: soon at first, then a tenth later than it has waited, a
 * minute at most. Thousands that wait while the queries of a mode pause for hours must not keep out those of the other.
 */
export function nextQuestionInMs(tries: number, ageMs: number): number {
  return Math.max(nextTryAfterOutageMs(tries), Math.min(maxPauseMs, ageMs / 10));
}
