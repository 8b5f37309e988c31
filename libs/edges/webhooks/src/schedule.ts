import { owedForDays } from '#views/webhook-outbox';

const secondMs = 1000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** The gaps between a failed attempt and the next one (WEB-11). */
const gapsMs = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
] as const;
const lastGapMs = 12 * hourMs;
/** Attempts that failed together must not be repeated together, so up to a tenth of the gap is added. */
const jitter = 0.1;

/** A webhook that was not delivered this long after it was owed is only in the feed. */
export const deliveredWithinMs = owedForDays * 24 * hourMs;

/**
 * Returns when a webhook is sent again.
 * @param attempts made so far, the last one included
 * @param ageMs since it was owed
 * @param random from 0 inclusive to 1 exclusive
 * @returns milliseconds from now, or undefined if it is over
 */
export function nextAttemptInMs(
  attempts: number,
  ageMs: number,
  random: () => number,
): number | undefined {
  const gapMs = (gapsMs[attempts - 1] ?? lastGapMs) * (1 + jitter * random());
  return ageMs + gapMs > deliveredWithinMs ? undefined : Math.round(gapMs);
}
