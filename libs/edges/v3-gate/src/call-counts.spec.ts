import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CallCounts, stretchesOf } from './call-counts.js';

const total = (calls: readonly { calls: number }[]) =>
  calls.reduce((sum, row) => sum + row.calls, 0);

describe('calls in memory', () => {
  it('are never lost, and stay within a bound for any caller, even if writing fails', () => {
    const call = fc.tuple(
      fc.constantFrom('2027-11-01', '2027-11-02'),
      fc.constantFrom('', 'm1', 'm2', 'm3', 'm4', 'm5'),
      fc.constantFrom('balance', 'collect'),
      fc.boolean(),
    );
    fc.assert(
      fc.property(fc.array(call, { maxLength: 60 }), (calls) => {
        const maxKeys = 4;
        const counts = new CallCounts(maxKeys);
        for (const [day, merchantId, route, fails] of calls) {
          counts.addCalls(day, merchantId, route);
          if (fails) counts.giveBack(counts.take());
          // Above the limit there are only the two collective names of each day and route.
          expect(counts.size).toBeLessThanOrEqual(maxKeys + 2 * 2 * 2);
        }
        const { calls: kept } = counts.take();
        expect(total(kept)).toBe(calls.length);
        const unknown = kept.filter(({ merchantId }) => merchantId === '');
        expect(total(unknown)).toBe(calls.filter(([, merchantId]) => merchantId === '').length);
        expect(counts.size).toBe(0);
      }),
    );
  });

  it('count under a collective name if there is no room for their merchant', () => {
    const counts = new CallCounts(1);
    counts.addCalls('2027-11-01', 'm1', 'balance');
    counts.addCalls('2027-11-01', 'm2', 'balance');
    counts.addCalls('2027-11-01', 'm3', 'balance');
    counts.addCalls('2027-11-01', 'm1', 'balance');
    expect(counts.take().calls).toEqual([
      { day: '2027-11-01', merchantId: 'm1', route: 'balance', calls: 2 },
      { day: '2027-11-01', merchantId: '*', route: 'balance', calls: 2 },
    ]);
  });

  it('include links, together with those that can move', () => {
    const counts = new CallCounts();
    counts.addLinks('2027-11-01', 'm', { links: 1, movable: 0 });
    counts.addLinks('2027-11-01', 'm', { links: 1, movable: 1 });
    expect(counts.take().links).toEqual([
      { day: '2027-11-01', merchantId: 'm', links: 2, movable: 1 },
    ]);
  });
});

describe('a counting period', () => {
  const ms = (text: string) => Date.parse(`${text}Z`);

  it('is cut at midnight, UTC', () => {
    expect(stretchesOf(ms('2027-11-01T23:59:59'), ms('2027-11-03T00:00:00'))).toEqual([
      {
        day: '2027-11-01',
        firstAt: new Date(ms('2027-11-01T23:59:59')),
        lastAt: new Date(ms('2027-11-01T23:59:59.999')),
      },
      {
        day: '2027-11-02',
        firstAt: new Date(ms('2027-11-02T00:00:00')),
        lastAt: new Date(ms('2027-11-02T23:59:59.999')),
      },
      {
        day: '2027-11-03',
        firstAt: new Date(ms('2027-11-03T00:00:00')),
        lastAt: new Date(ms('2027-11-03T00:00:00')),
      },
    ]);
  });

  it('is an instant if the clock went back meanwhile', () => {
    const until = ms('2027-11-01T12:00:00');
    const instant = { day: '2027-11-01', firstAt: new Date(until), lastAt: new Date(until) };
    expect(stretchesOf(until + 5000, until)).toEqual([instant]);
  });
});
