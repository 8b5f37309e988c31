import { type Instant } from '#domain/kernel';
import { daysBefore } from '#infra/runtime';

/** The day (UTC) of an instant. */
export function dayOf(instant: Instant): string {
  return instant.slice(0, 10);
}

/** `count` days, oldest first, the last one included. */
export function daysUpTo(last: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => daysBefore(last, count - 1 - index));
}
