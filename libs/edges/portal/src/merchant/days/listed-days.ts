import { isCalendarDay } from '#domain/kernel';

/** Of a page: a month. */
const daysAtOnce = 31;
const dayMs = 86_400_000;

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
  const before = Array.from({ length: daysAtOnce + 1 }, (_, index) => dayBefore(last, index));
  const [days, earlier] = [before.slice(0, daysAtOnce).filter(isListed), before.at(-1)];
  return { days, earlier: earlier !== undefined && isListed(earlier) ? earlier : undefined };
}

function dayBefore(day: string, count: number): string {
  return new Date(Date.parse(`${day}T00:00:00Z`) - count * dayMs).toISOString().slice(0, 10);
}
