import { eventually, throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { holdsFence, Lease, type Queryable } from './index.js';

let own: ThrowAwayDatabase;
beforeAll(async () => {
  own = await throwAwayDatabase();
});
afterAll(async () => {
  await own.drop();
});

/** Far longer than any pause of a busy machine: a lease ends only if the spec ends it. */
const longMs = 3_600_000;

const lease = (name: string, holder: string, durationMs = longMs): Lease =>
  new Lease(own.database, { name, holder, durationMs });

/** Lets the lease run out, as if its duration had passed. */
async function runOut(name: string): Promise<void> {
  const rows = await own.database.query(
    `update records.leases set expires_at = clock_timestamp() - interval '1 millisecond'
       where name = $1 and expires_at > clock_timestamp() returning name`,
    [name],
  );
  expect(rows).toEqual([{ name }]);
}

/** Expects that the act gives the lease its whole duration, counted from then by the database's clock. */
async function expectProlonged(
  name: string,
  durationMs: number,
  act: () => Promise<unknown>,
): Promise<void> {
  const [before] = await own.database.query('select clock_timestamp()::text as at');
  await act();
  const rows = await own.database.query(
    `select expires_at - $3 * interval '1 millisecond' between $2::timestamptz and clock_timestamp() as whole
       from records.leases where name = $1`,
    [name, before?.['at'], durationMs],
  );
  expect(rows).toEqual([{ whole: true }]);
}

describe('a lease', () => {
  it('is held by one of many who try at once', async () => {
    const name = randomUUID();
    const all = Array.from({ length: 8 }, (_, n) => lease(name, `holder-${n}`));
    const fences = await Promise.all(all.map((one) => one.tryAcquire()));
    expect(fences.filter((fence) => fence !== undefined)).toEqual([1n]);
  });

  it('lasts for its duration from each acquisition and renewal', async () => {
    const name = randomUUID();
    const mine = lease(name, 'me', 7000);
    await expectProlonged(name, 7000, () => mine.tryAcquire());
    await expectProlonged(name, 7000, () => mine.tryAcquire());
    await expectProlonged(name, 7000, () => mine.renew());
  });

  it('keeps its fence while its holder asks again or renews, also past its end', async () => {
    const name = randomUUID();
    const mine = lease(name, 'me');
    expect(await mine.tryAcquire()).toBe(1n);
    expect(await mine.tryAcquire()).toBe(1n);
    await runOut(name);
    expect(await mine.renew()).toBe(true);
    expect(mine.fence).toBe(1n);
  });

  it('goes to another when it has run out, under a higher fence, and the former holder learns it', async () => {
    const name = randomUUID();
    const frozen = lease(name, 'frozen');
    const next = lease(name, 'next');
    await frozen.tryAcquire();
    expect(await next.tryAcquire()).toBeUndefined();
    await runOut(name);
    expect(await next.tryAcquire()).toBe(2n);
    expect(await frozen.renew()).toBe(false);
    expect(frozen.fence).toBeUndefined();
    expect(await frozen.tryAcquire()).toBeUndefined();
  });

  it('is no longer reported as held if Postgres fails when it is asked for again', async () => {
    const other = await throwAwayDatabase();
    const mine = new Lease(other.database, {
      name: randomUUID(),
      holder: 'me',
      durationMs: longMs,
    });
    expect(await mine.tryAcquire()).toBe(1n);
    await other.drop();
    await expect(mine.tryAcquire()).rejects.toThrow();
    expect(mine.fence).toBeUndefined();
  });

  it('fences out the work of a former holder', async () => {
    const name = randomUUID();
    const oldFence = (await lease(name, 'frozen').tryAcquire()) ?? 0n;
    await runOut(name);
    const newFence = (await lease(name, 'next').tryAcquire()) ?? 0n;
    await own.database.transaction(async (transaction) => {
      expect(await holdsFence(transaction, name, oldFence)).toBe(false);
      expect(await holdsFence(transaction, name, newFence)).toBe(true);
    });
  });

  it('does not change hands within a transaction that has asked for its fence', async () => {
    const name = randomUUID();
    const fence = (await lease(name, 'me').tryAcquire()) ?? 0n;
    await runOut(name);
    const order: string[] = [];
    const takeOver = async () => {
      const taken = await lease(name, 'next').tryAcquire();
      order.push('taken over');
      return taken;
    };
    const taken = await own.database.transaction(async (transaction) => {
      expect(await holdsFence(transaction, name, fence)).toBe(true);
      const takingOver = takeOver();
      // In the transaction itself, which Postgres would cut off if it were idle for long.
      await eventually(async () => order.length > 0 || (await holdsBack(transaction)), Boolean);
      order.push('committed');
      return () => takingOver;
    });
    expect(await taken()).toBe(2n);
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

/** True if another session waits for a lock of this transaction. */
async function holdsBack(transaction: Queryable): Promise<boolean> {
  const rows = await transaction.query(
    'select from pg_locks where not granted and pg_backend_pid() = any (pg_blocking_pids(pid))',
  );
  return rows.length > 0;
}
