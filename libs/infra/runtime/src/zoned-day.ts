import { type Instant, instantFromMs } from '#domain/kernel';

const dayMs = 86_400_000;

/** The zone's day (YYYY-MM-DD) at an instant. */
export function dayAt(ms: number, timezone: string): string {
  // Sweden writes dates as ISO 8601 does.
  return new Intl.DateTimeFormat('sv-SE', { timeZone: timezone }).format(ms);
}

export function dayAfter(day: string): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) + dayMs).toISOString().slice(0, 10);
}

/** The first instant that is no longer of the day: usually the next midnight of the zone. */
export function endOfDay(day: string, timezone: string): Instant {
  const next = dayAfter(day);
  // A zone is 14 hours from UTC at most, so the end lies between these.
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
