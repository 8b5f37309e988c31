import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { deliveredWithinMs, nextAttemptInMs } from './schedule.js';

const [second, minute, hour] = [1000, 60_000, 3_600_000];
const none = () => 0;
const gaps = [5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 12 * hour];

/** Returns the times of all attempts of a webhook that no server ever accepts, counted from when it was owed. */
function attemptsOf(random: () => number): readonly number[] {
  const times = [0];
  for (let age = 0; ;) {
    const gap = nextAttemptInMs(times.length, age, random);
    if (gap === undefined) return times;
    age += gap;
    times.push(age);
  }
}

describe('the schedule of attempts', () => {
  it('goes 5 s, 5 m, 30 m, 2 h, 5 h, 10 h, then each 12 h', () => {
    const times = attemptsOf(none);
    expect(times.slice(1, 8).map((time, index) => time - (times[index] ?? 0))).toEqual(gaps);
    expect((times[20] ?? 0) - (times[19] ?? 0)).toBe(12 * hour);
  });

  it('ends within 30 days, and not much sooner', () => {
    const last = attemptsOf(none).at(-1) ?? 0;
    expect(last).toBeLessThanOrEqual(deliveredWithinMs);
    expect(last).toBeGreaterThan(deliveredWithinMs - 12 * hour);
    expect(deliveredWithinMs).toBe(720 * hour);
  });

  it('adds at most a tenth to each gap, and ends in time whatever is added', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 200 }),
        fc.integer({ min: 0, max: 2 * deliveredWithinMs }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempts, ageMs, random) => {
          const gap = gaps[Math.min(attempts, gaps.length) - 1] ?? 0;
          const next = nextAttemptInMs(attempts, ageMs, () => random);
          if (next === undefined) expect(ageMs + 1.1 * gap).toBeGreaterThan(deliveredWithinMs);
          else {
            expect(next).toBeGreaterThanOrEqual(gap);
            expect(next).toBeLessThanOrEqual(1.1 * gap);
            expect(ageMs + next).toBeLessThanOrEqual(deliveredWithinMs + 1);
          }
        },
      ),
    );
  });
});
