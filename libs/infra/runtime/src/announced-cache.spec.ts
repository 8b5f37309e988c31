import { describe, expect, it } from '@jest/globals';
import { AnnouncedCache } from './announced-cache.js';

/** A cache over one value that tests change, by a clock that they move. */
function cacheOf(first: { readonly version: number } | undefined) {
  const world = { value: first, reads: 0, nowMs: 0, failing: false };
  const cache = new AnnouncedCache({
    load: () => {
      world.reads += 1;
      return world.failing ? Promise.reject(new Error('away')) : Promise.resolve(world.value);
    },
    monotonicMs: () => world.nowMs,
  });
  return {
    world,
    find: () => cache.find('key'),
    forget: () => {
      cache.forget();
    },
  };
}

describe('a cached operator fact', () => {
  it('is read once for all concurrent callers, and served for half a second without another read', async () => {
    const { world, find } = cacheOf({ version: 1 });
    await Promise.all([find(), find(), find()]);
    world.nowMs = 499;
    await find();
    expect(world.reads).toBe(1);
  });

  it('is read again in the background, and is never older than a second', async () => {
    const { world, find } = cacheOf({ version: 1 });
    await find();
    world.value = { version: 2 };
    world.nowMs = 600;
    expect(await find()).toEqual({ version: 1 });
    expect(await find()).toEqual({ version: 2 });
    world.failing = true;
    world.nowMs = 1599;
    expect(await find()).toEqual({ version: 2 });
    world.nowMs = 1600;
    await expect(find()).rejects.toThrow('away');
  });

  it('is forgotten when it is announced, and so is a read in flight', async () => {
    const { world, find, forget } = cacheOf({ version: 1 });
    const before = find();
    forget();
    world.value = { version: 2 };
    await before;
    expect(await find()).toEqual({ version: 2 });
    world.value = undefined;
    forget();
    expect(await find()).toBeUndefined();
  });

  it('is not cached if it does not exist', async () => {
    const { world, find } = cacheOf(undefined);
    expect(await find()).toBeUndefined();
    world.value = { version: 1 };
    expect(await find()).toEqual({ version: 1 });
  });
});
