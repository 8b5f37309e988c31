import { type CommandMetadata, type EventStore } from '#domain/event-sourcing';
import { type AtCall, MemoryLog, ReachedLog } from '#testing';
import { describe, expect, it } from '@jest/globals';
import { PostedCredits, Reservations, reservationsStream, type Wallet } from '../index.js';

const wallet: Wallet = { mode: 'demo', merchantId: 'm', accountNo: '1', currency: 'KES' };
const metadata: CommandMetadata = {
  correlationId: 'spec',
  actor: { kind: 'system', id: 'spec' },
  evidence: { keyId: 'k', ciphertext: 'sealed' },
  commitment: 'c',
};
const demand = (source: string, amountMinor: bigint) => ({
  source,
  amountMinor,
  mayOverdraw: false,
});
const batch = (...of: ReturnType<typeof demand>[]) => ({
  wallet,
  demands: of,
  since: undefined,
  metadata,
});

let made = 0;
const ids = { next: () => `id-${(made += 1)}` };
class Credits extends PostedCredits {
  constructor(private readonly minor: bigint) {
    super();
  }
  override creditsOf = (): Promise<bigint> => Promise.resolve(this.minor);
}
const over = (store: EventStore, credits = 1000n) =>
  new Reservations(store, new Credits(credits), ids);
const written = (log: MemoryLog) => log.streams.get(reservationsStream(wallet)) ?? [];

describe('one demand of a wallet', () => {
  it('is not reserved again by a late process after it was given back', async () => {
    const [log, asked] = [new MemoryLog(), { ...batch(), ...demand('a', 600n) }];
    // The late process has reserved in the wallet before, and has read nothing since.
    const late = over(log);
    await late.reserve({ ...batch(), ...demand('first', 1n) });
    await over(log).reserve(asked);
    await over(log).release(asked);
    expect(await late.reserve(asked)).toEqual({ ok: false, refusal: 'insufficient_funds' });
    expect(written(log).map(({ data }) => data)).toMatchObject([
      ...[{ source: 'first' }, { source: 'a', totalMinor: 601n }, { source: 'a', totalMinor: 1n }],
    ]);
  });
});

describe('several demands of one wallet', () => {
  it('are one append on one running total, each with its revision', async () => {
    const log = new MemoryLog();
    const appends: number[] = [];
    const append = log.append.bind(log);
    log.append = (stream, expected, events) => {
      appends.push(events.length);
      return append(stream, expected, events);
    };
    await over(log).reserve({ ...batch(), ...demand('first', 5n) });
    const reserved = await over(log).reserveAll(batch(demand('a', 100n), demand('b', 200n)));
    expect(appends).toEqual([1, 2]);
    expect(reserved).toMatchObject({ ok: true });
    expect(written(log).slice(1)).toMatchObject([
      { data: { source: 'a', totalMinor: 105n }, metadata: { v: 1, evidence: metadata.evidence } },
      { data: { source: 'b', totalMinor: 305n }, metadata: { v: 1, commitment: 'c' } },
    ]);
    expect(written(log)[2]?.metadata).not.toHaveProperty('evidence');
    if (!reserved.ok) return;
    expect([...reserved.value].map(([source, { id, revision }]) => [source, id, revision])).toEqual(
      written(log)
        .slice(1)
        .map(({ id, revision }, index) => [['a', 'b'][index], id, revision]),
    );
  });

  it('are refused together if the last of them is too much', async () => {
    const log = new MemoryLog();
    const demands = [demand('a', 600n), demand('b', 400n), demand('c', 1n)];
    expect(await over(log).reserveAll(batch(...demands))).toEqual({
      ok: false,
      refusal: 'insufficient_funds',
    });
    expect(written(log)).toEqual([]);
  });

  it('are found by a repeat, and what was given back stays so', async () => {
    const log = new MemoryLog();
    const asked = batch(demand('a', 600n), demand('b', 400n));
    const first = await over(log).reserveAll(asked);
    expect(await over(log).reserveAll(asked)).toMatchObject({ ok: true });
    expect(written(log)).toHaveLength(2);
    await over(log).release({ wallet, source: 'a', since: undefined, metadata });
    const again = await over(log).reserveAll(asked);
    expect(again.ok && [...again.value.keys()]).toEqual(['b']);
    expect(first.ok && again.ok && again.value.get('b')?.id).toBe(
      first.ok && first.value.get('b')?.id,
    );
    expect(written(log)).toHaveLength(3);
  });

  it('keep those of them that were already reserved alone, and add the rest', async () => {
    const log = new MemoryLog();
    await over(log).reserve({ ...batch(), ...demand('a', 600n) });
    const reserved = await over(log).reserveAll(batch(demand('a', 600n), demand('b', 400n)));
    expect(reserved.ok && [...reserved.value.keys()].sort()).toEqual(['a', 'b']);
    expect(written(log).map(({ data }) => data)).toMatchObject([
      { source: 'a', totalMinor: 600n },
      { source: 'b', totalMinor: 1000n },
    ]);
  });

  it('are decided anew after a lost race, and never twice after a crash', async () => {
    const log = new MemoryLog();
    let races = 3;
    const raced: AtCall = async (what) => {
      if (what !== 'append sent' || races === 0) return;
      races -= 1;
      await over(log).reserve({ ...batch(), ...demand(`rival ${races}`, 100n) });
    };
    const asked = batch(demand('a', 300n), demand('b', 400n));
    expect(await over(new ReachedLog(log, raced)).reserveAll(asked)).toMatchObject({ ok: true });
    expect(written(log).at(-1)?.data).toMatchObject({ source: 'b', totalMinor: 1000n });
    const diesUnheard: AtCall = (what) =>
      what === 'append answered' ? Promise.reject(new Error('died')) : Promise.resolve();
    const other = new MemoryLog();
    await expect(over(new ReachedLog(other, diesUnheard)).reserveAll(asked)).rejects.toThrow(
      'died',
    );
    expect(await over(other).reserveAll(asked)).toMatchObject({ ok: true });
    expect(written(other)).toHaveLength(2);
  });

  it('are at most 1,000, each of its own source', async () => {
    const many = Array.from({ length: 1001 }, (_, at) => demand(`s${at}`, 1n));
    await expect(over(new MemoryLog()).reserveAll(batch(...many))).rejects.toThrow(RangeError);
    const twice = batch(demand('a', 1n), demand('a', 1n));
    await expect(over(new MemoryLog()).reserveAll(twice)).rejects.toThrow(RangeError);
  });
});
