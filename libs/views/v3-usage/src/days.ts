import { type Instant, instantFromMs, msFromInstant } from '#domain/kernel';

const dayMs = 86_400_000;

/** The day (UTC) of an instant. */
export function dayOf(instant: Instant): string {
  return instant.slice(0, 10);
}

/** The day so many days earlier. */
export function daysBefore(day: string, count: number): string {
  return dayOf(instantFromMs(msFromInstant(`${day}T00:00:00.000Z` as Instant) - count * dayMs));
}

/** `count` days, oldest first, the last one included. */
export function daysUpTo(last: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => daysBefore(last, count - 1 - index));
}
