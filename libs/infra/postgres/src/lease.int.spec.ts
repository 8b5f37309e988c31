import { throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { holdsFence, Lease } from './index.js';

let own: ThrowAwayDatabase;
beforeAll(async () => {
  own = await throwAwayDatabase();
});
afterAll(async () => {
  await own.drop();
});

const lease = (name: string, holder: string, durationMs = 5000): Lease =>
  new Lease(own.database, { name, holder, durationMs });

describe('a lease', () => {
  it('is held by one of many who try at once', async () => {
    const name = randomUUID();
    const all = Array.from({ length: 8 }, (_, n) => lease(name, `holder-${n}`));
    const fences = await Promise.all(all.map((one) => one.tryAcquire()));
    expect(fences.filter((fence) => fence !== undefined)).toEqual([1n]);
  });

  it('keeps its fence while its holder asks again or renews, also past its end', async () => {
    const name = randomUUID();
    const mine = lease(name, 'me', 100);
    expect(await mine.tryAcquire()).toBe(1n);
    expect(await mine.tryAcquire()).toBe(1n);
    await sleep(150);
    expect(await mine.renew()).toBe(true);
    expect(mine.fence).toBe(1n);
  });

  it('goes to another when it has run out, under a higher fence, and the former holder learns it', async () => {
    const name = randomUUID();
    const frozen = lease(name, 'frozen', 100);
    const next = lease(name, 'next');
    await frozen.tryAcquire();
    expect(await next.tryAcquire()).toBeUndefined();
    await sleep(150);
    expect(await next.tryAcquire()).toBe(2n);
    expect(await frozen.renew()).toBe(false);
    expect(frozen.fence).toBeUndefined();
    expect(await frozen.tryAcquire()).toBeUndefined();
  });

  it('fences out the work of a former holder', async () => {
    const name = randomUUID();
    const frozen = lease(name, 'frozen', 50);
    const oldFence = (await frozen.tryAcquire()) ?? 0n;
    await sleep(80);
    const newFence = (await lease(name, 'next').tryAcquire()) ?? 0n;
    await own.database.transaction(async (transaction) => {
      expect(await holdsFence(transaction, name, oldFence)).toBe(false);
      expect(await holdsFence(transaction, name, newFence)).toBe(true);
    });
  });

  it('does not change hands within a transaction that has asked for its fence', async () => {
    const name = randomUUID();
    const mine = lease(name, 'me', 50);
    const fence = (await mine.tryAcquire()) ?? 0n;
    const order: string[] = [];
    await own.database.transaction(async (transaction) => {
      await holdsFence(transaction, name, fence);
      await sleep(80);
      void lease(name, 'next')
        .tryAcquire()
        .then(() => order.push('taken over'));
      await sleep(200);
      order.push('committed');
    });
    while (order.length < 2) await sleep(20);
    expect(order).toEqual(['committed', 'taken over']);
  });

  it('is free at once after a release, and a release of a lost one takes nothing away', async () => {
    const name = randomUUID();
    const first = lease(name, 'first');
    const second = lease(name, 'second');
    await first.tryAcquire();
    await first.release();
    expect(await second.tryAcquire()).toBe(2n);
    await first.release();
    expect(await second.renew()).toBe(true);
  });
});
