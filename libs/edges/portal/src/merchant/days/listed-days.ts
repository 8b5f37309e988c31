import { isCalendarDay } from '#domain/kernel';
import { daysBefore } from '#infra/runtime';

/** Of a page: a month. */
const daysAtOnce = 31;

export interface ListedDays {
  /** The newest first. */
  readonly days: readonly string[];
  /** The newest of the page that follows; undefined where the account had not been opened. */
  readonly earlier: string | undefined;
}

/**
 * A page of days (POR-56).
 * @param last the newest
 * @param openedOn when the account was opened; undefined where that is not known
 */
export function listedDays(last: string, openedOn: string | undefined): ListedDays {
  const isListed = (day: string): boolean =>
    // Before the year 1 there is none.
    isCalendarDay(day) && (openedOn === undefined || day >= openedOn);
  const before = Array.from({ length: daysAtOnce + 1 }, (_, index) => daysBefore(last, index));
  const [days, earlier] = [before.slice(0, daysAtOnce).filter(isListed), before.at(-1)];
  return { days, earlier: earlier !== undefined && isListed(earlier) ? earlier : undefined };
}
