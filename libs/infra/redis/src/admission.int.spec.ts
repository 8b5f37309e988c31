import { createLogger, type Rate } from '#infra/runtime';
import { redisNamespace } from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Admission,
  admitRequest,
  entryLifeSeconds,
  type FastClaim,
  KeyClaims,
  RedisStore,
} from './index.js';
import { entriesCap } from './admission.js';
import { slotSeconds } from './scripts.js';

const logger = createLogger({ app: 'spec', level: 'silent' });
const namespace = redisNamespace();
const stores = [1, 2].map(() => new RedisStore({ ...namespace, logger }));
const [store, replica] = stores as [RedisStore, RedisStore];

beforeAll(async () => {
  await Promise.all(stores.map((one) => one.start()));
});
afterAll(async () => {
  await Promise.all(stores.map((one) => one.close()));
});

const generous: Rate = { limit: 1000, intervalMs: 1000, burst: 1000 };

function admit(
  credentialId: string,
  rate = generous,
  options: { nonce?: string; through?: RedisStore; memoryCap?: number } = {},
): Promise<Admission> {
  const { nonce = randomUUID(), through = store, memoryCap } = options;
  return admitRequest(through, { credentialId, nonce, rate, memoryCap });
}

async function serverTimeMs(redis: Redis): Promise<number> {
  const [seconds, micros] = await redis.time();
  return Number(seconds) * 1000 + Number(micros) / 1000;
}

describe('a nonce', () => {
  it('is admitted once of many requests that race over replicas', async () => {
    const nonce = randomUUID();
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        admit('c-race', generous, { nonce, through: n % 2 === 0 ? store : replica }),
      ),
    );
    expect(outcomes.filter(({ kind }) => kind === 'ok')).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === 'nonce_reused')).toHaveLength(19);
  });

  it('belongs to its credential', async () => {
    const nonce = randomUUID();
    expect(await admit('c-one', generous, { nonce })).toMatchObject({ kind: 'ok' });
    expect(await admit('c-two', generous, { nonce })).toMatchObject({ kind: 'ok' });
  });

  it('is remembered for its time, no longer', async () => {
    const nonce = randomUUID();
    await admit('c-ttl', generous, { nonce });
    const leftMs = await store.lifeMs(`nonce:{c-ttl}:${nonce}`);
    expect(leftMs).toBeGreaterThan(entryLifeSeconds * 1000 - 30_000);
    expect(leftMs).toBeLessThanOrEqual(entryLifeSeconds * 1000);
  });

  it('is reported as reused even over the rate, and takes nothing from the rate', async () => {
    const one: Rate = { limit: 1, intervalMs: 3_600_000, burst: 1 };
    const nonce = randomUUID();
    await admit('c-order', one, { nonce });
    expect(await admit('c-order', one, { nonce })).toEqual({ kind: 'nonce_reused' });
    const two: Rate = { limit: 2, intervalMs: 3_600_000, burst: 2 };
    await admit('c-order-2', two, { nonce });
    await admit('c-order-2', two, { nonce });
    expect(await admit('c-order-2', two)).toMatchObject({ kind: 'ok', remaining: 0 });
  });

  it('stays unused if its request is over the rate: nothing is kept of it', async () => {
    const one: Rate = { limit: 1, intervalMs: 3_600_000, burst: 1 };
    const nonce = randomUUID();
    await admit('c-unused', one);
    expect(await admit('c-unused', one, { nonce })).toMatchObject({ kind: 'limited' });
    expect(await store.get(`nonce:{c-unused}:${nonce}`)).toBeNull();
    expect(await admit('c-unused', one, { nonce })).toMatchObject({ kind: 'limited' });
  });
});

describe('the memory of a credential', () => {
  it('is full at its cap, reports when the oldest entry expires, and keeps nothing of a refused request', async () => {
    const memoryCap = 3;
    for (let n = 0; n < 3; n += 1)
      expect(await admit('c-cap', generous, { memoryCap })).toMatchObject({ kind: 'ok' });
    const nonce = randomUUID();
    const refused = await admit('c-cap', generous, { memoryCap, nonce });
    if (refused.kind !== 'full') throw new Error(`the fourth was ${refused.kind}`);
    expect(refused.retryAfterMs).toBeGreaterThan((entryLifeSeconds - 60) * 1000);
    expect(refused.retryAfterMs).toBeLessThanOrEqual((entryLifeSeconds + 15) * 1000);
    expect(await store.get(`nonce:{c-cap}:${nonce}`)).toBeNull();
    expect(await admit('c-other', generous, { memoryCap })).toMatchObject({ kind: 'ok' });
  });

  it('is shared by all replicas, and counts claims until they are given back', async () => {
    const [claims, memoryCap] = [new KeyClaims(replica), 4];
    const claimed = [1, 2].map((n) => ({
      credentialId: 'c-claims',
      keyHash: `claims-${n}`,
      value: 'v',
    }));
    await Promise.all(claimed.map((one) => claims.claimKey(one)));
    expect((await claims.claimKey(claimed[0] as FastClaim)).kind).toBe('existing');
    await admit('c-claims', generous, { memoryCap });
    await admit('c-claims', generous, { memoryCap });
    expect(await admit('c-claims', generous, { memoryCap })).toMatchObject({ kind: 'full' });
    await claims.giveBack({ ...(claimed[0] as FastClaim), value: 'another’s' });
    expect(await admit('c-claims', generous, { memoryCap })).toMatchObject({ kind: 'full' });
    await claims.giveBack(claimed[0] as FastClaim);
    expect(await admit('c-claims', generous, { memoryCap })).toMatchObject({ kind: 'ok' });
    expect(await admit('c-claims', generous, { memoryCap })).toMatchObject({ kind: 'full' });
    expect((await claims.claimKey(claimed[0] as FastClaim)).kind).toBe('claimed');
  });

  it('is freed by a claim that was made in the first second of a slot and is given back later', async () => {
    const claimed = { credentialId: 'c-early', keyHash: 'early', value: 'v' };
    const [count, slotMs] = ['live-entries:{c-early}', slotSeconds * 1000];
    const admin = new Redis(namespace.url, { keyPrefix: namespace.prefix });
    try {
      // Whole seconds of now, less a fraction of the age, would give the slot before: so this only happens late in a
      // second.
      let nowMs: number;
      do nowMs = await serverTimeMs(admin);
      while (nowMs % 1000 < 400 || nowMs % 1000 > 700);
      const slot = Math.floor(nowMs / slotMs);
      const ageMs = Math.round(nowMs - (slot * slotMs + 200));
      await admin.set('idempotency:early', 'v', 'PX', entryLifeSeconds * 1000 - ageMs);
      await admin.hset(count, {
        at: slot,
        live: 1,
        [slot % (entryLifeSeconds / slotSeconds + 1)]: 1,
      });
      await new KeyClaims(replica).giveBack(claimed);
      expect(await admin.hget(count, 'live')).toBe('0');
    } finally {
      admin.disconnect();
    }
  });

  it('is free again once what was made is gone, and not before', async () => {
    const [memoryCap, key] = [2, 'live-entries:{c-slots}'];
    const admin = new Redis(namespace.url, { keyPrefix: namespace.prefix });
    try {
      await admit('c-slots', generous, { memoryCap });
      await admit('c-slots', generous, { memoryCap });
      const { at, live, ...made } = await admin.hgetall(key);
      expect([live, Object.values(made)]).toEqual(['2', ['2']]);
      /** Sets the state as if the two had been made this many slots of 15 s ago, with nothing since. */
      const age = async (slots: number) => {
        const then = Number(at) - slots;
        await admin.del(key);
        await admin.hset(key, { at: then, live: 2, [then % 61]: 2 });
      };
      await age(59);
      expect(await admit('c-slots', generous, { memoryCap })).toMatchObject({ kind: 'full' });
      // The spec itself may cross into the next slot, which is the last in which they count.
      await age(62);
      expect(await admit('c-slots', generous, { memoryCap })).toMatchObject({ kind: 'ok' });
      expect(await admin.hget(key, 'live')).toBe('1');
      await age(100_000);
      expect(await admit('c-slots', generous, { memoryCap })).toMatchObject({ kind: 'ok' });
      expect(await admin.hlen(key)).toBe(3);
    } finally {
      admin.disconnect();
    }
  });
});

describe('the cap of a credential', () => {
  const hundred: Rate = { limit: 100, intervalMs: 1000, burst: 200 };
  it.each([
    ['200,000 for a small rate', hundred, {}, 200_000],
    ['twice what a large rate makes', { ...hundred, limit: 1000 }, {}, 2 * (915_000 + 200)],
    ['as configured', hundred, { configured: 10 }, 10],
    ['a quarter of maxmemory at most', hundred, { maxMemoryBytes: 64 * 2 ** 20 }, 52_428],
    [
      'a quarter at most, whatever is configured',
      hundred,
      { configured: 1_000_000, maxMemoryBytes: 64 * 2 ** 20 },
      52_428,
    ],
  ])('is %s', (_what, rate, bounds, cap) => {
    expect(entriesCap(rate, { maxMemoryBytes: undefined, ...bounds })).toBe(cap);
  });
});

describe('a rate', () => {
  it('lets the burst through at once and then limits, saying how long to wait', async () => {
    const rate: Rate = { limit: 1, intervalMs: 3_600_000, burst: 3 };
    const outcomes: Admission[] = [];
    for (let n = 0; n < 4; n += 1) outcomes.push(await admit('c-burst', rate));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['ok', 'ok', 'ok', 'limited']);
    expect(outcomes.slice(0, 3).map((one) => 'remaining' in one && one.remaining)).toEqual([
      2, 1, 0,
    ]);
    const last = outcomes[3];
    if (last?.kind !== 'limited') throw new Error('the fourth was not limited');
    expect(last.retryAfterMs).toBeGreaterThan(3_000_000);
    expect(last.retryAfterMs).toBeLessThanOrEqual(3_600_000);
    const admin = new Redis(namespace.url, { keyPrefix: namespace.prefix });
    /** Sets the bucket as if this time had passed. */
    const pass = async (ms: number) => {
      const empty = BigInt((await admin.get('rate:{c-burst}')) ?? '') - BigInt(ms) * 1000n;
      await admin.set('rate:{c-burst}', empty.toString());
    };
    try {
      await pass(last.retryAfterMs - 600_000);
      expect(await admit('c-burst', rate)).toMatchObject({ kind: 'limited' });
      await pass(600_000);
      expect(await admit('c-burst', rate)).toMatchObject({ kind: 'ok' });
    } finally {
      admin.disconnect();
    }
  });

  it('is shared by all replicas: no race lets more than the burst through', async () => {
    const rate: Rate = { limit: 1, intervalMs: 3_600_000, burst: 5 };
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        admit('c-shared', rate, { through: n % 2 === 0 ? store : replica }),
      ),
    );
    expect(outcomes.filter(({ kind }) => kind === 'ok')).toHaveLength(5);
  });

  it('keeps to its limit in the long run', async () => {
    const rate: Rate = { limit: 50, intervalMs: 1000, burst: 1 };
    const admin = new Redis(namespace.url);
    const started = await serverTimeMs(admin);
    let admitted = 0;
    while (admitted < 50) {
      const outcome = await admit('c-long', rate);
      if (outcome.kind === 'ok') admitted += 1;
      if (outcome.kind !== 'limited') continue;
      expect(outcome.retryAfterMs).toBeLessThanOrEqual(20);
      await sleep(outcome.retryAfterMs);
    }
    const tookMs = (await serverTimeMs(admin)) - started;
    admin.disconnect();
    // One at once, and the others every 20 ms.
    expect(tookMs).toBeGreaterThanOrEqual(49 * 20);
  });

  it('for one credential does not affect another’s', async () => {
    const one: Rate = { limit: 1, intervalMs: 3_600_000, burst: 1 };
    await admit('c-a', one);
    expect(await admit('c-a', one)).toMatchObject({ kind: 'limited' });
    expect(await admit('c-b', one)).toMatchObject({ kind: 'ok' });
  });
});
