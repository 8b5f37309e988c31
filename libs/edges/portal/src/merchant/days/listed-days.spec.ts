import { describe, expect, it } from '@jest/globals';
import { listedDays } from './listed-days.js';

describe('the days of a page', () => {
  it('are a month, the newest first, and lead to the month before', () => {
    const { days, earlier } = listedDays('2026-03-02', '2025-01-01');
    expect([days.length, days[0], days[1], days.at(-1)]).toEqual([
      31,
      ...['2026-03-02', '2026-03-01', '2026-01-31'],
    ]);
    expect(earlier).toBe('2026-01-30');
  });

  it('begin with the day on which the account was opened: no earlier one can be closed', () => {
    const days = ['2026-03-02', '2026-03-01', '2026-02-28'];
    expect(listedDays('2026-03-02', '2026-02-28')).toEqual({ days, earlier: undefined });
  });

  it('lead to one more page even if it contains only the first day', () => {
    expect(listedDays('2026-03-02', '2026-01-31').earlier).toBeUndefined();
    expect(listedDays('2026-03-02', '2026-01-30').earlier).toBe('2026-01-30');
  });

  it('are empty before the account was opened, and never precede the year 1', () => {
    expect(listedDays('2026-03-02', '2026-03-03')).toEqual({ days: [], earlier: undefined });
    const { days, earlier } = listedDays('0001-01-03', undefined);
    expect([days, earlier]).toEqual([['0001-01-03', '0001-01-02', '0001-01-01'], undefined]);
  });

  it('have no beginning if the opening day of the account is not known', () => {
    expect(listedDays('2026-03-02', undefined).earlier).toBe('2026-01-30');
  });
});
