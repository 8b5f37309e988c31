import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addMonths, startOf } from './calendar.js';

const date = fc
  .date({ min: new Date('2001-01-01'), max: new Date('2300-12-31'), noInvalidDate: true })
  .map((day) => day.toISOString().slice(0, 10));
const months = fc.integer({ min: 0, max: 48 });

describe('calendar months', () => {
  it.each([
    ['2026-11-21', 3, '2027-02-21'],
    ['2026-11-30', 3, '2027-02-28'],
    ['2027-11-30', 3, '2028-02-29'],
    ['2026-11-30', 6, '2027-05-30'],
    ['2026-01-31', 1, '2026-02-28'],
    ['2026-01-31', 3, '2026-04-30'],
    ['2024-02-29', 12, '2025-02-28'],
    ['2024-02-29', 48, '2028-02-29'],
    ['1999-12-31', 2, '2000-02-29'],
    ['2099-12-01', 2, '2100-02-01'],
    ['2099-12-29', 2, '2100-02-28'],
  ])('%s and %i months is %s', (from, count, to) => {
    expect(addMonths(from, count)).toBe(to);
  });

  it('give a day that exists, in the month meant, as late in it as the first day was or its last', () => {
    fc.assert(
      fc.property(date, months, (from, count) => {
        const to = addMonths(from, count);
        expect(new Date(`${to}T00:00:00Z`).toISOString().slice(0, 10)).toBe(to);
        const monthOf = (day: string) => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7));
        expect(monthOf(to) - monthOf(from)).toBe(count);
        const lastDay = new Date(Date.UTC(Number(to.slice(0, 4)), Number(to.slice(5, 7)), 0));
        const wanted = Math.min(Number(from.slice(8)), lastDay.getUTCDate());
        expect(Number(to.slice(8))).toBe(wanted);
      }),
    );
  });

  it('never go back: a later month is a later day', () => {
    fc.assert(
      fc.property(
        date,
        months,
        (from, count) => addMonths(from, count) < addMonths(from, count + 1),
      ),
    );
  });

  it('begin at midnight UTC', () => {
    expect(startOf('2027-02-21')).toBe('2027-02-21T00:00:00.000Z');
  });
});
