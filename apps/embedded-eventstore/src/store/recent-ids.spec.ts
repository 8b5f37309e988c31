import { expect, it } from '@jest/globals';
import { RecentIds } from './recent-ids.js';

it('recent ids are known by stream, until younger ones have filled the budget', () => {
  const recent = new RecentIds(3 * RecentIds.ENTRY_BYTES);
  recent.add(1, 'a', 0);
  recent.add(1, 'b', 1);
  recent.add(2, 'a', 7);
  expect([recent.revision(1, 'a'), recent.revision(2, 'a'), recent.revision(2, 'b')]).toEqual([
    0,
    7,
    undefined,
  ]);
  recent.add(1, 'a', 5);
  recent.add(3, 'c', 0);
  expect(recent.revision(1, 'b')).toBeUndefined();
  expect(recent.revision(1, 'a')).toBe(5);
});
