import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { isCalendarDay } from './day.js';

describe('a day of the calendar', () => {
  it('is what a calendar says', () => {
    const two = fc.integer({ min: 0, max: 99 }).map((number) => String(number).padStart(2, '0'));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9999 }), two, two, (year, month, day) => {
        const text = `${String(year).padStart(4, '0')}-${month}-${day}`;
        const date = new Date(`${text}T00:00:00Z`);
        const isThere = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
        expect(isCalendarDay(text)).toBe(isThere);
      }),
    );
  });

  it.each(['2024-02-29', '2000-02-29', '2026-12-31'])('%s is one', (text) => {
    expect(isCalendarDay(text)).toBe(true);
  });

  it.each(['2026-02-29', '1900-02-29', '0000-01-01', '2026-4-01', '2026-04-31', '', undefined])(
    '%s is none',
    (text) => {
      expect(isCalendarDay(text)).toBe(false);
    },
  );
});
