import { type Instant, instantFromMs } from '#domain/kernel';

const dayMs = 86_400_000;

const formats = new Map<string, Intl.DateTimeFormat>();

/** The zone's day (YYYY-MM-DD) at an instant. */
export function dayAt(ms: number, timezone: string): string {
  // Making one takes a millisecond, and finding a day's end needs some thirty.
  let format = formats.get(timezone);
  if (!format) {
    // Sweden writes dates as ISO 8601 does.
    format = new Intl.DateTimeFormat('sv-SE', { timeZone: timezone });
    formats.set(timezone, format);
  }
  return format.format(ms);
}

export function dayAfter(day: string): string {
  return daysBefore(day, -1);
}

/** Returns the day this many days earlier. */
export function daysBefore(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - count * dayMs).toISOString().slice(0, 10);
}

/** The first instant of the day: the end of the previous one. */
export function beginOfDay(day: string, timezone: string): Instant {
  return endOfDay(daysBefore(day, 1), timezone);
}

/** The first instant after the day: usually the next midnight of the zone. */
export function endOfDay(day: string, timezone: string): Instant {
  const next = dayAfter(day);
  // A zone is at most 14 hours from UTC, so the end lies between these.
  let [before, after] = [
    Date.parse(`${next}T00:00:00Z`) - dayMs,
    Date.parse(`${next}T00:00:00Z`) + dayMs,
  ];
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (dayAt(middle, timezone) >= next) after = middle;
    else before = middle;
  }
  return instantFromMs(after);
}
