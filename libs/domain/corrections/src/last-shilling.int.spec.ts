import { randomUUID } from 'node:crypto';
import { type ReservationEvent, reservationsStream } from '#domain/ledger';
import { openStore } from '#testing';
import { afterAll, describe, expect, it } from '@jest/globals';
import { leg, startProcess, taking, wallet as walletOf } from '../test/scene.js';

/** Separate processes over the real store, which only the log keeps consistent. */
const store = openStore();
afterAll(() => store.dispose());

/** Other specs and earlier runs share the log. */
const freshAccountNo = (): string => BigInt(`0x${randomUUID().slice(0, 8)}`).toString();
const start = (creditsMinor: bigint) =>
  startProcess({ log: store, credits: () => creditsMinor, nextId: randomUUID });

describe('two corrections for the same last shilling', () => {
  it('one is posted, the other refused, however often and by however many they are confirmed', async () => {
    const accountNo = freshAccountNo();
    const wallet = { ...walletOf, accountNo };
    const terms = taking(100n, {
      legs: [leg(`wallet:${accountNo}`, -100n), leg('rail-clearing:mpesa', 100n)],
    });
    const ids = [randomUUID(), randomUUID()];
    for (const id of ids)
      expect(await start(100n).propose(id, 'asha', terms)).toMatchObject({ ok: true });
    const confirmed = await Promise.all(
      [...ids, ...ids, ...ids].map((id, number) => start(100n).confirm(id, `operator ${number}`)),
    );
    const posted = ids.filter((_id, number) => confirmed[number]?.ok);
    expect(posted).toHaveLength(1);
    for (const [number, result] of confirmed.entries())
      expect(result.ok).toBe(confirmed[number % 2]?.ok);
    expect(confirmed.find(({ ok }) => !ok)).toEqual({ ok: false, refusal: 'insufficient_funds' });
    const events = await store.readStream<ReservationEvent>(reservationsStream(wallet));
    expect(events.map(({ data }) => data)).toEqual([
      { source: `correction-demo:${posted[0]}`, amountMinor: 100n, totalMinor: 100n },
    ]);
  });

  it('out of many, exactly as many are posted as the wallet covers', async () => {
    const accountNo = freshAccountNo();
    const terms = taking(10n, {
      legs: [leg(`wallet:${accountNo}`, -10n), leg('rail-clearing:mpesa', 10n)],
    });
    const ids = Array.from({ length: 12 }, () => randomUUID());
    for (const id of ids) await start(100n).propose(id, 'asha', terms);
    const confirmed = await Promise.all(ids.map((id) => start(100n).confirm(id, 'joseph')));
    expect(confirmed.filter(({ ok }) => ok)).toHaveLength(10);
    const stream = reservationsStream({ ...walletOf, accountNo });
    const last = await store.readLast<ReservationEvent>(stream);
    expect(last?.data.totalMinor).toBe(100n);
    expect(last?.revision).toBe(9n);
  });
});
