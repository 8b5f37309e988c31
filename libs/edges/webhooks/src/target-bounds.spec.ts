import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type ReadyTarget } from '#records/webhooks';
import { maxBound, TargetBounds } from './target-bounds.js';

const target = (merchantId: string, failures = 0): ReadyTarget => ({
  merchantId,
  mode: 'demo',
  kind: 'v4',
  callbackHost: '',
  failures,
  isProbe: false,
});
const a = target('a');
const boundsOf = (maxInFlight: number, random = () => 0): TargetBounds =>
  new TargetBounds({ maxInFlight, random });

/** Starts all attempts that the target may have, as a worker does. @returns their number */
function fill(bounds: TargetBounds, of: ReadyTarget): number {
  const [share] = bounds.shares([of]);
  for (let taken = 0; taken < (share?.max ?? 0); taken += 1) bounds.begin(of);
  return share?.max ?? 0;
}

describe('the attempts that a target may have in flight', () => {
  it('are few at first, one more with each success, and one after a failure', () => {
    const bounds = boundsOf(512);
    expect(fill(bounds, a)).toBe(4);
    expect(fill(bounds, a)).toBe(0);
    for (let taken = 0; taken < 4; taken += 1) bounds.end(a, true);
    expect(fill(bounds, a)).toBe(8);
    for (let failed = 0; failed < 8; failed += 1) bounds.end(a, false);
    expect(fill(bounds, a)).toBe(1);
    bounds.end(a, undefined);
    expect(fill(bounds, a)).toBe(1);
  });

  it('grow to a bound', () => {
    const bounds = boundsOf(512);
    for (let taken = 0; taken < 1000; taken += 1) {
      bounds.begin(a);
      bounds.end(a, true);
    }
    expect(fill(bounds, a)).toBe(maxBound);
  });

  it('are limited to one if another worker saw the target fail', () => {
    expect(fill(boundsOf(512), target('a', 1))).toBe(1);
  });

  it('leave room for others, however many targets take and never end', () => {
    const bounds = boundsOf(512);
    for (let at = 0; at < 50; at += 1)
      for (let taken = 0; taken < maxBound; taken += 1) {
        bounds.begin(target(`h${at}`));
        bounds.end(target(`h${at}`), true);
      }
    for (let round = 0; round < 20; round += 1)
      for (let at = 0; at < 50; at += 1) fill(bounds, target(`h${at}`));
    expect(bounds.total).toBeLessThan(0.8 * 512);
    for (let at = 0; at < 50; at += 1) expect(fill(bounds, target(`healthy ${at}`))).toBe(1);
  });

  it('go first to targets that have none if few are left', () => {
    const bounds = boundsOf(8);
    const [b, c, d] = ['b', 'c', 'd'].map((name) => target(name)) as [typeof a, typeof a, typeof a];
    for (let taken = 0; taken < 6; taken += 1) bounds.begin(taken % 2 === 0 ? a : b);
    expect(bounds.shares([a, b, c, d])).toMatchObject([
      { merchantId: 'c', max: 1 },
      { merchantId: 'd', max: 1 },
    ]);
  });

  it('are retries for one half, rounded at random if the number is odd', () => {
    const retriesOf = (failures: number, random: number): number | undefined =>
      boundsOf(512, () => random).shares([target('a', failures)])[0]?.retries;
    expect([retriesOf(0, 0), retriesOf(0, 0.99)]).toEqual([2, 2]);
    expect([retriesOf(1, 0.49), retriesOf(1, 0.5)]).toEqual([0, 1]);
  });

  it('are separate for a callback host, its endpoint and other hosts', () => {
    const bounds = boundsOf(512);
    expect(fill(bounds, { ...a, callbackHost: 'dead.example' })).toBe(4);
    expect([fill(bounds, { ...a, callbackHost: 'live.example' }), fill(bounds, a)]).toEqual([4, 4]);
  });

  it('never exceed the total, and are all returned', () => {
    const steps = fc.array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.boolean(), fc.boolean()));
    fc.assert(
      fc.property(steps, fc.integer({ min: 1, max: 40 }), (taken, max) => {
        const bounds = boundsOf(max);
        const held: ReadyTarget[] = [];
        for (const [at, isEnd, wasTaken] of taken) {
          const of = isEnd ? held.shift() : undefined;
          if (of) bounds.end(of, wasTaken);
          const more = target(String(at));
          held.push(...Array.from({ length: fill(bounds, more) }, () => more));
          expect(bounds.total).toBe(held.length);
          expect(held.length).toBeLessThanOrEqual(max);
        }
        for (const of of held) bounds.end(of, true);
        expect(bounds.total).toBe(0);
      }),
    );
  });
});
