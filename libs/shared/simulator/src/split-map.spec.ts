import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { SplitMap } from './split-map.js';

it('a split map answers as a Map does', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string({ maxLength: 4 }), fc.integer())), (pairs) => {
      const expected = new Map(pairs);
      const split = new SplitMap<number>();
      for (const [key, value] of pairs) split.set(key, value);
      expect(split.size).toBe(expected.size);
      expect(new Map(split.entries())).toEqual(expected);
      for (const [key] of pairs) {
        expect(split.has(key)).toBe(true);
        expect(split.get(key)).toBe(expected.get(key));
      }
      expect(split.has('absent')).toBe(false);
      expect(split.get('absent')).toBeUndefined();
    }),
  );
});
