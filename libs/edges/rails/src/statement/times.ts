/** East Africa Time is UTC+3 all year. */
export const eastAfricaOffsetMs = 3 * 3_600_000;

/**
 * Returns the time at which clocks in East Africa show these parts, or undefined if they never do.
 * @param parts year, month, day, hour, minute and second, in digits
 */
export function msOfEastAfricaTime(parts: readonly string[]): number | undefined {
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.map(Number);
  const ms = Date.UTC(year, month - 1, day, hour, minute, second);
  const shown = new Date(ms);
  const isDate =
    shown.getUTCFullYear() === year &&
    shown.getUTCMonth() === month - 1 &&
    shown.getUTCDate() === day;
  return isDate && hour < 24 && minute < 60 && second < 60 ? ms - eastAfricaOffsetMs : undefined;
}

/** A time in a statement, and the order of its date's parts. */
export interface StatementTime {
  readonly atMs: number;
  readonly order: 'year_first' | 'day_first';
  /** The time of a day-first date if it is read with the month first; absent if it cannot be read so. */
  readonly monthFirstMs?: number;
}

const yearFirst =
  /^(?<year>\d{4})[-/](?<month>\d{1,2})[-/](?<day>\d{1,2})[ T](?<time>\d{1,2}:\d{2}(?::\d{2}(?:\.0+)?)?)$/;
const dayFirst =
  /^(?<day>\d{1,2})[-/](?<month>\d{1,2})[-/](?<year>\d{4})[ T](?<time>\d{1,2}:\d{2}(?::\d{2}(?:\.0+)?)?)$/;

/** @returns undefined if it is no time in either order; `month_first` if that is the only possible order */
export function statementTime(text: string): StatementTime | 'month_first' | undefined {
  const { year = '', month = '', day = '', time = '' } = yearFirst.exec(text)?.groups ?? {};
  if (year !== '') {
    const atMs = instantOf(year, month, day, time);
    return atMs === undefined ? undefined : { atMs, order: 'year_first' };
  }
  const found = dayFirst.exec(text)?.groups;
  if (!found) return undefined;
  const { year: y = '', month: second = '', day: first = '', time: at = '' } = found;
  const atMs = instantOf(y, second, first, at);
  const monthFirstMs = instantOf(y, first, second, at);
  if (atMs === undefined) return monthFirstMs === undefined ? undefined : 'month_first';
  return { atMs, order: 'day_first', ...(monthFirstMs === undefined ? {} : { monthFirstMs }) };
}

function instantOf(year: string, month: string, day: string, time: string): number | undefined {
  const [hour = '', minute = '', second = '00'] = time.split(':');
  return msOfEastAfricaTime([year, month, day, hour, minute, second]);
}
