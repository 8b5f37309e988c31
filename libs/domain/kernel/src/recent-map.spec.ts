import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { RecentMap } from './recent-map.js';

describe('a map of what was set recently', () => {
  const steps = fc.array(
    fc.record({ key: fc.integer({ min: 0, max: 30 }), value: fc.nat(), forgets: fc.boolean() }),
    { maxLength: 200 },
  );

  it('knows the last half of its capacity, never more than all of it, and never an older value', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 2, max: 20 }), (all, capacity) => {
        const map = new RecentMap<number, number>(capacity);
        /** A model that drops nothing. The key set last is last. */
        const model = new Map<number, number>();
        for (const { key, value, forgets } of all) {
          model.delete(key);
          if (forgets) map.delete(key);
          else {
            map.set(key, value);
            model.set(key, value);
          }
        }
        const known = [...Array(31).keys()].filter((key) => map.get(key) !== undefined);
        for (const key of known) expect(map.get(key)).toBe(model.get(key));
        expect(known.length).toBeLessThanOrEqual(capacity);
      }),
    );
  });

  it('keeps the last half of its capacity', () => {
    const map = new RecentMap<number, string>(10);
    for (let key = 0; key < 1_000; key += 1) {
      map.set(key, `value ${key}`);
      for (let last = Math.max(0, key - 4); last <= key; last += 1)
        expect(map.get(last)).toBe(`value ${last}`);
      expect(map.get(key - 10)).toBeUndefined();
    }
  });

  it('keeps what is set repeatedly, and forgets what is deleted', () => {
    const map = new RecentMap<string, number>(4);
    for (let n = 0; n < 100; n += 1) {
      map.set('often', n);
      map.set(`other ${n}`, n);
      expect(map.get('often')).toBe(n);
    }
    map.delete('often');
    expect(map.get('often')).toBeUndefined();
  });
});
