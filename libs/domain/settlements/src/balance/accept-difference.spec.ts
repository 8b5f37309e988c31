import { describe, expect, it } from '@jest/globals';
import { instantFromMs } from '#domain/kernel';
import { Pipeline } from '#domain/event-sourcing';
import { MemoryLog } from '#testing';
import { AcceptRailDifference, AcceptRailDifferenceHandler } from './accept-difference.command.js';
import { CompareRailBalance, CompareRailBalanceHandler } from './compare-balance.command.js';
import { railBalanceStream } from './rail-balance.events.js';

const accounts = { channel: 'mpesa', mode: 'demo' } as const;
const dayMs = 86_400_000;

/** Commands over one log, each as of another day. */
function commands() {
  const store = new MemoryLog();
  let made = 0;
  const ids = { next: () => `id-${(made += 1)}` };
  const pipeline = () => new Pipeline(store, ids);
  const compare = (heldMinor: bigint, day: number) => {
    const account = { shortCode: '600100', name: 'Working Account', isHeld: true };
    const figures = {
      ...accounts,
      currency: 'KES',
      asOf: instantFromMs(day * dayMs),
      accounts: [{ ...account, amountMinor: heldMinor }],
      ledgerMinor: 1_000n,
      unpostedMinor: 0n,
      inFlightMinor: 0n,
      position: '1',
    };
    const metadata = { correlationId: 'spec', actor: { kind: 'rail', id: 'mpesa' } } as const;
    const handler = new CompareRailBalanceHandler(store, pipeline());
    return handler.execute(new CompareRailBalance(figures, metadata));
  };
  const accept = (amountMinor: bigint) => {
    const actor = { kind: 'operator', id: 'amina' } as const;
    const metadata = { correlationId: 'spec', actor, reason: 'charges' };
    const accepted = { amountMinor, cause: 'charges' } as const;
    const handler = new AcceptRailDifferenceHandler(store, pipeline());
    return handler.execute(new AcceptRailDifference(accounts, accepted, metadata));
  };
  const types = () =>
    (store.streams.get(railBalanceStream(accounts)) ?? []).map(({ type }) => type);
  return { compare, accept, types };
}

describe('a difference of the rail’s balance', () => {
  it('is expected once a person accepted it (BAL-6)', async () => {
    const { compare, accept } = commands();
    expect(await compare(5_000n, 1)).toMatchObject({ outcome: 'opening', openingMinor: 4_000n });
    const fewer = { outcome: 'differs', differenceMinor: -330n };
    expect(await compare(4_670n, 2)).toMatchObject(fewer);
    expect(await accept(-330n)).toMatchObject({ ok: true, value: { openingMinor: 3_670n } });
    expect(await compare(4_670n, 3)).toMatchObject({ outcome: 'agrees', openingMinor: 3_670n });
  });

  it('is accepted once, and only as the last comparison shows it', async () => {
    const { compare, accept } = commands();
    expect(await accept(1n)).toEqual({ ok: false, refusal: 'nothing_compared' });
    await compare(5_000n, 1);
    await compare(4_670n, 2);
    const another = { ok: false, refusal: 'another_difference' };
    expect(await accept(-331n)).toEqual(another);
    const [one, other] = await Promise.all([accept(-330n), accept(-330n)]);
    expect([one.ok, other.ok].toSorted()).toEqual([false, true]);
    expect(await accept(-330n)).toEqual(another);
  });

  it('is recorded once a day while it stays', async () => {
    const { compare, types } = commands();
    await compare(5_000n, 1);
    for (const day of [1.1, 1.2, 1.3]) await compare(4_670n, day);
    await compare(4_670n, 2.2);
    expect(types()).toEqual(Array.from({ length: 3 }, () => 'RailBalanceCompared'));
  });
});
