import { type Instant } from '#domain/kernel';
import { daysBefore } from '#infra/runtime';

/** The day (UTC) of an instant. */
export function dayOf(instant: Instant): string {
  return instant.slice(0, 10);
}

/** Returns `count` days, oldest first, including the last one. */
export function daysUpTo(last: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => daysBefore(last, count - 1 - index));
}
