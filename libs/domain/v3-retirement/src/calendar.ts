import { type Instant } from '#domain/kernel';

/** A day in the form of settings: `2026-11-21`. Text order is time order. */
export type CalendarDate = string;

const months = 12;
const longMonth = 31;

/**
 * Returns the same day this many calendar months later. If the month does not have that day, the result is its last day
 * (31 January and a month is 28 or 29 February). Each date is counted from the first one, never from a shortened one:
 * three months after 30 November are 28 February, and six are 30 May.
 * @param date a date that exists, years 1 to 9999
 */
export function addMonths(date: CalendarDate, count: number): CalendarDate {
  const [year, month, day] = parts(date);
  const sinceZero = year * months + (month - 1) + count;
  const toYear = Math.floor(sinceZero / months);
  const toMonth = (sinceZero % months) + 1;
  return written(toYear, toMonth, Math.min(day, daysOf(toYear, toMonth)));
}

/** Returns the first instant of the day in UTC, because V3's calendar is the same everywhere. */
export function startOf(date: CalendarDate): Instant {
  return `${date}T00:00:00.000Z` as Instant;
}

function parts(date: CalendarDate): readonly [number, number, number] {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(date);
  if (!match) throw new RangeError('a calendar date is written YYYY-MM-DD');
  const [, year = '', month = '', day = ''] = match;
  return [parseInt(year, 10), parseInt(month, 10), parseInt(day, 10)];
}

function written(year: number, month: number, day: number): CalendarDate {
  const padded = (value: number, width: number): string => value.toString().padStart(width, '0');
  return `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}`;
}

function daysOf(year: number, month: number): number {
  if (month === 2) return isLeap(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? longMonth - 1 : longMonth;
}

function isLeap(year: number): boolean {
  return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
}
