import { describe, expect, it } from '@jest/globals';
import { nextQuestionInMs, nextTryAfterOutageMs, nextTryInMs } from './inbox-schedule.js';

describe('the callback inbox', () => {
  it('tries again soon, then at growing gaps, about twenty times in 48 hours, then leaves it to people', () => {
    const gaps: number[] = [];
    let ageMs = 0;
    for (let tries = 1; ; tries += 1) {
      const gap = nextTryInMs(tries, ageMs);
      if (gap === undefined) break;
      gaps.push(gap);
      ageMs += gap;
    }
    expect(gaps.slice(0, 3)).toEqual([300, 1000, 5000]);
    expect([...gaps].sort((a, b) => a - b)).toEqual(gaps);
    expect(gaps.length).toBeLessThan(30);
    expect(ageMs).toBeGreaterThanOrEqual(48 * 3_600_000);
  });

  it('outlasts any absence of a server, ten seconds apart at most', () => {
    expect(nextTryAfterOutageMs(1)).toBeLessThanOrEqual(2000);
    expect(nextTryAfterOutageMs(1000)).toBe(10_000);
  });

  it('asks a rail that takes no questions again within seconds at first, later once a minute', () => {
    expect(nextQuestionInMs(1, 1000)).toBeLessThanOrEqual(2000);
    expect(nextQuestionInMs(20, 100_000)).toBe(10_000);
    expect(nextQuestionInMs(100, 3_600_000)).toBe(60_000);
  });
});
