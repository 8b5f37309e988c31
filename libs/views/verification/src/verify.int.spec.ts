import {
  HandMadeLog,
  History,
  threeCollections,
  type ThrowAwayDatabase,
  useHistory,
} from '#testing';
import { describe, expect, it } from '@jest/globals';

let server: ThrowAwayDatabase;
let history: History;
useHistory((begun, database) => {
  history = begun;
  server = database;
});

describe('views that match the log', () => {
  it('verify clean, and the report says what was compared', async () => {
    await threeCollections(history);
    expect(await history.verify()).toMatchObject({
      differences: 0,
      events: 15,
      collections: 3,
      postings: 2,
      ledgerEntries: 6,
      balances: 3,
      claims: 3,
      claimsWithoutCollection: 0,
      position: history.log.events.at(-1)?.position,
    });
  });

  it('verify clean at every stage of a collection and of its review', async () => {
    const stream = await history.intend('A');
    const steps = ['accept', 'flag', 'decline', 'suspend', 'pay', 'flag'] as const;
    for (const step of steps) {
      await history.project();
      expect(await history.verify()).toMatchObject({ differences: 0, named: [] });
      history[step](stream);
    }
  });

  // The rail may still pay a payout that it declined, or refused in its answer.
  it('verify clean at every stage of a payout, and count payouts that may still be paid', async () => {
    const paths = [
      ['request', 'approve', 'wait for float', 'start', 'flag', 'decline', 'pay late'],
      ['request', 'approve', 'start', 'be refused'],
      ['request', 'reject'],
    ] as const;
    for (const [number, path] of paths.entries())
      for (const step of path) {
        history.payOut(`P${number}`, step);
        await history.project();
        expect(await history.verify()).toMatchObject({ differences: 0, named: [] });
      }
    history.payOut('declined', 'request', 'approve', 'start', 'decline');
    history.boundPayouts();
    await history.project();
    expect(await history.verify()).toMatchObject({ differences: 0, openPayouts: 2 });
  });

  it('verify clean if they are behind the log, and the report says so', async () => {
    await threeCollections(history);
    history.pay(await history.intend('later'));
    const { differences, position, head } = await history.verify();
    expect(differences).toBe(0);
    expect(head).toBeGreaterThan(position);
  });

  it('verify clean before the first projection', async () => {
    expect(await history.verify()).toMatchObject({ differences: 0, events: 0, position: 0n });
  });

  it('verify clean with fewer collections in memory than are open, or than get late events', async () => {
    const streams: string[] = [];
    for (let number = 0; number < 60; number += 1) streams.push(await history.intend(`R${number}`));
    for (const stream of streams) history.accept(stream);
    for (const stream of streams.toReversed()) history.suspend(stream);
    for (const stream of streams) history.pay(stream);
    // An event that changes nothing in the row arrives after the check dropped the collection as done.
    for (const stream of streams) history.accept(stream);
    await history.project();
    expect(await history.verify(5)).toMatchObject({
      differences: 0,
      collections: 60,
      postings: 120,
    });
    await history.tamper(`update transactions set fee_minor = 1 where reference in ('R7', 'R59')`);
    const { named } = await history.verify(5);
    // The figures of days are compared with the list, so they differ from it as well.
    const inList = named.filter(({ table }) => table === 'transactions');
    expect(inList.map(({ reference, field }) => [reference, field]).toSorted()).toEqual([
      ['R59', 'fee_minor'],
      ['R7', 'fee_minor'],
    ]);
  });
});

describe('an idempotency claim', () => {
  it('is expected for each merchant and mode, even if they share the reference', async () => {
    await history.intend('A');
    await history.intend('A', 'm-2');
    await history.intend('A', 'm-1', 'live');
    await history.project();
    expect((await history.verify()).differences).toBe(0);
    await history.tamper(`delete from records.idempotency_claims
      where key_hash = (select min(key_hash) from records.idempotency_claims)`);
    expect((await history.verify()).named).toMatchObject([{ expected: 'A', found: null }]);
  });

  it('may be more than one for a reference, and older or later than its intent', async () => {
    await history.intend('A');
    await history.claim('A', 10);
    await history.claim('A', 7_200_000);
    await history.project();
    expect(await history.verify()).toMatchObject({ differences: 0, claimsWithoutCollection: 0 });
    await history.tamper(
      `delete from records.idempotency_claims where claimed_at < now() - interval '1 minute'`,
    );
    expect((await history.verify()).differences).toBe(0);
  });

  it('without a collection is only noted: its call ended before the intent', async () => {
    await threeCollections(history);
    await history.claim('gone');
    await history.claim('at-work', 1000);
    expect(await history.verify()).toMatchObject({ differences: 0, claimsWithoutCollection: 1 });
  });

  it('is not expected after 30 days, or for an interface other than V4', async () => {
    const old = await History.begin(server, new HandMadeLog(Date.now() - 31 * 86_400_000));
    try {
      await threeCollections(old);
      await old.tamper('delete from records.idempotency_claims');
      expect((await old.verify()).differences).toBe(0);
    } finally {
      await old.database.close();
    }
  });
});
