import { createLogger } from '#infra/runtime';
import { redisNamespace } from '#testing';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type RailToken, RailTokenCache, RedisStore } from './index.js';

const logger = createLogger({ app: 'spec', level: 'silent' });
const namespace = redisNamespace();
const stores = [1, 2].map(() => new RedisStore({ ...namespace, logger }));
/** Never returns the same text twice, like any cipher; a text that begins with `lost` is under an unknown key. */
const seal = {
  seal: (token: string) => `${randomUUID()} ${Buffer.from(token).toString('hex')}`,
  open: (kept: string) =>
    kept.startsWith('lost') ? undefined : Buffer.from(kept.slice(37), 'hex').toString(),
};
/** Longer than any pause of a busy machine. */
const longMs = 60_000;
let name: string;
let fetched: number;

beforeAll(async () => {
  await Promise.all(stores.map((store) => store.start()));
});
afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()));
});
beforeEach(() => {
  name = randomUUID();
  fetched = 0;
});

/** Caches of several instances, with one rail that counts. */
function instances(
  fetch: () => Promise<RailToken> = async () => {
    fetched += 1;
    await sleep(50);
    return { token: `token-${fetched}`, lifeMs: 3_600_000 };
  },
  freshMs = 1,
): RailTokenCache[] {
  return stores.map(
    (store) => new RailTokenCache(store, { name, fetch, fetchDeadlineMs: longMs, freshMs }, seal),
  );
}

/** Waits until a token is no longer fresh. */
const grownOld = () => sleep(20);

describe('the rail’s token', () => {
  it('is fetched once for all instances and callers', async () => {
    const [one, two] = instances() as [RailTokenCache, RailTokenCache];
    const tokens = await Promise.all(
      Array.from({ length: 20 }, (_, n) => (n % 2 === 0 ? one : two).get()),
    );
    expect(new Set(tokens)).toEqual(new Set(['token-1']));
    expect(fetched).toBe(1);
  });

  it('is fetched again once after it was refused, however many callers report that', async () => {
    const [one, two] = instances() as [RailTokenCache, RailTokenCache];
    const token = await one.get();
    await grownOld();
    await Promise.all([one.invalidate(token), two.invalidate(token)]);
    expect(await Promise.all([one.get(), two.get()])).toEqual(['token-2', 'token-2']);
    await two.invalidate(token);
    expect(await one.get()).toBe('token-2');
    expect(fetched).toBe(2);
  });

  it('stays if it is refused while fresh, and is replaced if it is refused later', async () => {
    const [store] = stores as [RedisStore];
    const [one, two] = instances(undefined, longMs) as [RailTokenCache, RailTokenCache];
    const token = await one.get();
    for (const each of [one, two, one]) {
      await each.invalidate(token);
      expect(await each.get()).toBe('token-1');
    }
    await store.set(`rail-fresh:${name}`, '1', 1);
    await grownOld();
    await two.invalidate(token);
    expect(await two.get()).toBe('token-2');
    // This token is fresh again.
    await two.invalidate('token-2');
    await one.invalidate(token);
    expect(await Promise.all([one.get(), two.get()])).toEqual(['token-2', 'token-2']);
    expect(fetched).toBe(2);
  });

  it('is stored sealed in Redis, and is fetched again if it cannot be opened', async () => {
    const [store] = stores as [RedisStore];
    const [one, two] = instances() as [RailTokenCache, RailTokenCache];
    expect(await one.get()).toBe('token-1');
    expect(await store.get(`rail-token:${name}`)).not.toContain('token');
    await store.set(`rail-token:${name}`, 'lost', 60_000);
    expect(await two.get()).toBe('token-2');
  });

  it('is neither remembered nor waited for by a read that began before it was refused', async () => {
    const [store] = stores as [RedisStore];
    const [one, two] = instances() as [RailTokenCache, RailTokenCache];
    const token = await two.get();
    await grownOld();
    let resume: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (resume = resolve));
    let noteLook: () => void = () => undefined;
    const looked = new Promise<void>((resolve) => (noteLook = resolve));
    const read = store.get.bind(store);
    const hold = jest.spyOn(store, 'get').mockImplementationOnce(async (key) => {
      const found = await read(key);
      noteLook();
      await held;
      return found;
    });
    const early = one.get();
    await looked;
    await one.invalidate(token);
    const late = one.get();
    resume();
    expect(await Promise.all([early, late])).toEqual(['token-1', 'token-2']);
    expect(await one.get()).toBe('token-2');
    hold.mockRestore();
  });

  it('is requested again by the next caller if fetching failed', async () => {
    let fail = true;
    const [one] = instances(() => {
      if (fail) return Promise.reject(new Error('the rail is down'));
      return Promise.resolve({ token: 'good', lifeMs: 60_000 });
    }) as [RailTokenCache];
    await expect(one.get()).rejects.toThrow('the rail is down');
    fail = false;
    expect(await one.get()).toBe('good');
  });

  it('is fetched by another instance if the one that began has died', async () => {
    const [store] = stores as [RedisStore];
    await store.setIfAbsent(`rail-lock:${name}`, 'a dead instance', 300);
    const [one] = instances() as [RailTokenCache];
    expect(await one.get()).toBe('token-1');
  });

  it('is not used up to its very end', async () => {
    const [one] = instances(() => {
      fetched += 1;
      return Promise.resolve({ token: `token-${fetched}`, lifeMs: 60_500 });
    }) as [RailTokenCache];
    expect(await one.get()).toBe('token-1');
    await sleep(1100);
    expect(await one.get()).toBe('token-2');
  });
});
