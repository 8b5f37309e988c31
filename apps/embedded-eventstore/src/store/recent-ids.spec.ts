import { expect, it } from '@jest/globals';
import { RecentIds } from './recent-ids.js';

it('recent ids are known by stream, until younger ones have filled the budget', () => {
  const recent = new RecentIds(6 * RecentIds.ENTRY_BYTES);
  recent.add(1, 'a', 0);
  recent.add(1, 'b', 1);
  recent.add(2, 'a', 7);
  expect([recent.revision(1, 'a'), recent.revision(2, 'a'), recent.revision(2, 'b')]).toEqual([
    0,
    7,
    undefined,
  ]);
  recent.add(1, 'a', 5);
  for (const id of ['c', 'd', 'e', 'f']) recent.add(3, id, 0);
  expect(recent.revision(1, 'b')).toBeUndefined();
  expect(['d', 'e', 'f'].map((id) => recent.revision(3, id))).toEqual([0, 0, 0]);
});
