import { createLogger, type Rate } from '#runtime';
import { redisNamespace } from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Admission, admitRequest, RedisStore } from './index.js';

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
  options: { nonce?: string; through?: RedisStore; nonceTtlSeconds?: number } = {},
): Promise<Admission> {
  const { nonce = randomUUID(), through = store, nonceTtlSeconds = 900 } = options;
  return admitRequest(through, { credentialId, nonce, nonceTtlSeconds, rate });
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
    await admit('c-ttl', generous, { nonce, nonceTtlSeconds: 1 });
    await sleep(1100);
    expect(await admit('c-ttl', generous, { nonce, nonceTtlSeconds: 1 })).toMatchObject({
      kind: 'ok',
    });
  });

  it('that is repeated is told so even over the rate, and takes nothing from it', async () => {
    const one: Rate = { limit: 1, intervalMs: 3_600_000, burst: 1 };
    const nonce = randomUUID();
    await admit('c-order', one, { nonce });
    expect(await admit('c-order', one, { nonce })).toEqual({ kind: 'nonce_reused' });
    const two: Rate = { limit: 2, intervalMs: 3_600_000, burst: 2 };
    await admit('c-order-2', two, { nonce });
    await admit('c-order-2', two, { nonce });
    expect(await admit('c-order-2', two)).toMatchObject({ kind: 'ok', remaining: 0 });
  });

  it('is used up by a request over the rate', async () => {
    const one: Rate = { limit: 1, intervalMs: 3_600_000, burst: 1 };
    const nonce = randomUUID();
    await admit('c-used', one);
    expect(await admit('c-used', one, { nonce })).toMatchObject({ kind: 'limited' });
    expect(await admit('c-used', one, { nonce })).toEqual({ kind: 'nonce_reused' });
  });
});

describe('a rate', () => {
  it('lets the burst through at once and then limits, saying how long to wait', async () => {
    const rate: Rate = { limit: 10, intervalMs: 1000, burst: 3 };
    const outcomes: Admission[] = [];
    for (let n = 0; n < 4; n += 1) outcomes.push(await admit('c-burst', rate));
    expect(outcomes.map(({ kind }) => kind)).toEqual(['ok', 'ok', 'ok', 'limited']);
    expect(outcomes.slice(0, 3).map((one) => 'remaining' in one && one.remaining)).toEqual([
      2, 1, 0,
    ]);
    const last = outcomes[3];
    if (last?.kind !== 'limited') throw new Error('the fourth was not limited');
    expect(last.retryAfterMs).toBeGreaterThan(0);
    expect(last.retryAfterMs).toBeLessThanOrEqual(100);
    await sleep(last.retryAfterMs + 5);
    expect(await admit('c-burst', rate)).toMatchObject({ kind: 'ok' });
  });

  it('is one for all replicas: no race lets more than the burst through', async () => {
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
    const started = performance.now();
    let admitted = 0;
    while (performance.now() - started < 1000) {
      if ((await admit('c-long', rate)).kind === 'ok') admitted += 1;
      await sleep(2);
    }
    expect(admitted).toBeGreaterThan(30);
    expect(admitted).toBeLessThanOrEqual(52);
  });

  it('of one credential leaves another’s alone', async () => {
    const one: Rate = { limit: 1, intervalMs: 3_600_000, burst: 1 };
    await admit('c-a', one);
    expect(await admit('c-a', one)).toMatchObject({ kind: 'limited' });
    expect(await admit('c-b', one)).toMatchObject({ kind: 'ok' });
  });
});
