import { isCalendarDay } from '#domain/kernel';
import { daysBefore } from '#infra/runtime';

/** Days on a page: a month. */
const daysAtOnce = 31;

export interface ListedDays {
  /** Days, the newest first. */
  readonly days: readonly string[];
  /** The newest day of the next page, or undefined if the account was not open then. */
  readonly earlier: string | undefined;
}

/**
 * Lists a page of days (POR-56).
 * @param last the newest
 * @param openedOn the day on which the account was opened, or undefined if it is not known
 */
export function listedDays(last: string, openedOn: string | undefined): ListedDays {
  const isListed = (day: string): boolean =>
    // Days before the year 1 are no calendar days.
    isCalendarDay(day) && (openedOn === undefined || day >= openedOn);
  const before = Array.from({ length: daysAtOnce + 1 }, (_, index) => daysBefore(last, index));
  const [days, earlier] = [before.slice(0, daysAtOnce).filter(isListed), before.at(-1)];
  return { days, earlier: earlier !== undefined && isListed(earlier) ? earlier : undefined };
}
