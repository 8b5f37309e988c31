import {
  instantFromMs,
  type Instant,
  isCalendarDay,
  ok,
  refuse,
  type Result,
} from '#domain/kernel';

/** A fault of the end that an operator typed for a credential. */
export type EndWrong = 'end_form' | 'end_past' | 'end_too_far';

const dayMs = 86_400_000;
/** Ten years. A later end is a typing error. */
const maxMs = 3653 * dayMs;
const daysPattern = /^([1-9]\d{0,4})d$/;

/** True for the two forms of an end: a day such as `2027-03-01`, or a number of days such as `90d`. */
export function isEndForm(text: string): boolean {
  return daysPattern.test(text) || isCalendarDay(text);
}

/**
 * Reads the end of a credential, always 00:00 UTC of a day. A number of days gives at most that time: the end is the last
 * such moment within it.
 * @param nowMs by the clock of the service
 */
export function readEnd(text: string, nowMs: number): Result<Instant, EndWrong> {
  if (!isEndForm(text)) return refuse('end_form');
  const [, days] = daysPattern.exec(text) ?? [];
  const endMs =
    days === undefined
      ? Date.parse(`${text}T00:00:00.000Z`)
      : (Math.floor(nowMs / dayMs) + Number.parseInt(days, 10)) * dayMs;
  if (endMs <= nowMs) return refuse('end_past');
  return endMs - nowMs > maxMs ? refuse('end_too_far') : ok(instantFromMs(endMs));
}

/** The whole days until the end, rounded up; 0 once it has passed. */
export function daysLeft(endMs: number, nowMs: number): number {
  return Math.max(0, Math.ceil((endMs - nowMs) / dayMs));
}
