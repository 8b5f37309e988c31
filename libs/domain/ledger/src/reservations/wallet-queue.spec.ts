import {
  type Appended,
  type CommandMetadata,
  type EventRecord,
  EventStoreUnavailable,
  type ExpectedRevision,
  type NewEvent,
  type RecordedEvent,
  WrongExpectedRevision,
} from '#domain/event-sourcing';
import { DependencyUnavailable } from '#domain/kernel';
import { MemoryLog, ReachedLog } from '#testing';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  type FundsReserved,
  PostedCredits,
  type ReservationEvent,
  Reservations,
  ReservationsContested,
  reservationsStream,
  standingReservation,
  type Wallet,
} from '../index.js';

const wallet: Wallet = { mode: 'demo', merchantId: 'm', accountNo: '1', currency: 'KES' };
const stream = reservationsStream(wallet);
const metadata: CommandMetadata = {
  correlationId: 'spec',
  actor: { kind: 'system', id: 'spec' },
};
const claim = (source: string, amountMinor = 1n, since?: bigint) => ({
  wallet,
  source,
  amountMinor,
  since,
  metadata,
  mayOverdraw: false,
});

/** Recognises a repeated append by its ids, like the real store. */
class Log extends MemoryLog {
  appends = 0;
  override append(
    to: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
  ): Promise<Appended> {
    this.appends += 1;
    const known = this.streams.get(to)?.find(({ id }) => id === events[0]?.id);
    if (!known) return super.append(to, expected, events);
    const revision = known.revision + BigInt(events.length - 1);
    return Promise.resolve({ revision, position: known.position });
  }
  written(): ReservationEvent[] {
    return (this.streams.get(stream) ?? []) as unknown as ReservationEvent[];
  }
}

/** A log whose appends wait until they are released. */
class HeldLog extends Log {
  #gate: Promise<unknown> = Promise.resolve();
  #held = 0;
  /** @returns a function that releases the appends */
  hold(): () => void {
    const { promise, resolve } = Promise.withResolvers<undefined>();
    this.#gate = promise;
    return () => {
      resolve(undefined);
    };
  }
  async untilHeld(count: number): Promise<void> {
    while (this.#held < count) await new Promise(setImmediate);
  }
  override async append(...of: Parameters<Log['append']>): Promise<Appended> {
    const gate = this.#gate;
    this.#held += 1;
    await gate;
    return super.append(...of);
  }
}

class Credits extends PostedCredits {
  asked = 0;
  constructor(public minor: bigint) {
    super();
  }
  override creditsOf(): Promise<bigint> {
    this.asked += 1;
    return Promise.resolve(this.minor);
  }
}

let made = 0;
const ids = { next: () => `id-${(made += 1)}` };
const over = (log: MemoryLog | ReachedLog, credits = 1000n) =>
  new Reservations(log, new Credits(credits), ids);
const unavailable = () => new EventStoreUnavailable('no answer in time');
const many = <T>(count: number, of: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => of(at));

describe('the claims on one wallet', () => {
  it('share one more append and one query for credits if they arrive during an append', async () => {
    const log = new Log();
    const credits = new Credits(1000n);
    const reservations = new Reservations(log, credits, ids);
    const answers = await Promise.all(many(100, (at) => reservations.reserve(claim(`s${at}`, 1n))));
    expect(answers.every(({ ok }) => ok)).toBe(true);
    expect(log.written().map(({ data }) => data)).toEqual(
      many(100, (at) => ({ source: `s${at}`, amountMinor: 1n, totalMinor: BigInt(at + 1) })),
    );
    expect(log.appends).toBe(2);
    expect(credits.asked).toBe(1);
    expect(log.reads).toBe(1);
  });

  it('are each served or refused alone, in order of arrival', async () => {
    const log = new Log();
    const reservations = over(log, 10n);
    await reservations.reserve(claim('first', 4n));
    const answers = await Promise.allSettled([
      reservations.reserve(claim('a', 5n)),
      reservations.reserve(claim('too much', 2n)),
      reservations.reserve(claim('nothing', 0n)),
      reservations.release(claim('first')),
      reservations.reserve(claim('b', 5n)),
      reservations.reserve(claim('b', 5n)),
    ]);
    expect(answers).toMatchObject([
      { value: { ok: true, value: { revision: 1n } } },
      { value: { ok: false, refusal: 'insufficient_funds' } },
      { reason: expect.any(RangeError) },
      { value: true },
      { value: { ok: true, value: { revision: 3n } } },
      { value: { ok: true, value: { revision: 3n } } },
    ]);
    expect(log.written().map(({ data }) => [data.source, data.totalMinor])).toEqual([
      ['first', 4n],
      ['a', 9n],
      ['first', 5n],
      ['b', 10n],
    ]);
  });

  it('are not refused, nor found, on what another process has changed since', async () => {
    const log = new Log();
    const [one, other] = [over(log, 10n), over(log, 10n)];
    await one.reserve(claim('a', 10n));
    await other.release(claim('a'));
    await expect(one.reserve(claim('b', 10n))).resolves.toMatchObject({ ok: true });
    await other.release(claim('b'));
    await expect(one.reserve(claim('c', 10n))).resolves.toMatchObject({ ok: true });
    expect(log.written()).toHaveLength(5);
  });

  it('are not refused on credits that were read before', async () => {
    const [log, credits] = [new Log(), new Credits(10n)];
    const reservations = new Reservations(log, credits, ids);
    await reservations.reserve(claim('a', 10n));
    credits.minor = 15n;
    await expect(reservations.reserve(claim('b', 5n))).resolves.toMatchObject({ ok: true });
    await expect(reservations.reserve(claim('c', 1n))).resolves.toMatchObject({ ok: false });
    await reservations.release(claim('b'));
    // Another process takes the amount that this one believes to be available.
    await over(log, 15n).reserve(claim('d', 5n));
    credits.minor = 20n;
    await expect(reservations.reserve(claim('e', 5n))).resolves.toMatchObject({ ok: true });
    expect(log.written().at(-1)?.data.totalMinor).toBe(20n);
  });

  it('are not refused on earlier credits, even if others of the group take all that is available', async () => {
    const [log, credits] = [new Log(), new Credits(10n)];
    const reservations = new Reservations(log, credits, ids);
    await reservations.reserve(claim('a', 1n));
    credits.minor = 20n;
    // The other claims gather while this one is in progress.
    const first = reservations.release(claim('a'));
    const group = [
      reservations.reserve({ ...claim('late', 8n), mayOverdraw: true }),
      reservations.reserve(claim('b', 5n)),
    ];
    expect(await Promise.all(group)).toMatchObject([{ ok: true }, { ok: true }]);
    await first;
  });

  it('know what is available without a query while they follow each other', async () => {
    const log = new HeldLog();
    const reservations = over(log, 10n);
    await reservations.reserve(claim('a', 1n));
    const freeA = log.hold();
    const b = reservations.reserve(claim('b', 2n));
    // The first claim may be long ago, so nothing is concluded from it.
    const before = log.reads;
    await reservations.availableIn(wallet, 1n);
    expect(log.reads).toBe(before + 1);
    const c = reservations.reserve(claim('c', 3n));
    await log.untilHeld(2);
    const freeB = log.hold();
    freeA();
    await b;
    await log.untilHeld(3);
    await expect(reservations.availableIn(wallet, 7n)).resolves.toEqual({
      availableMinor: 7n,
      revision: 1n,
    });
    expect(log.reads).toBe(before + 1);
    await reservations.availableIn(wallet, 8n);
    await reservations.availableIn(wallet);
    expect(log.reads).toBe(before + 3);
    freeB();
    await c;
    await reservations.availableIn(wallet, 1n);
    expect(log.reads).toBe(before + 4);
  });

  it('are found however long ago they were served, and forgotten by this process', async () => {
    const log = new Log();
    const reservations = over(log, 100_000n);
    const oldest = await reservations.reserve(claim('oldest'));
    for (const batch of many(21, (at) => at)) {
      const demands = many(1000, (at) => claim(`${batch} ${at}`));
      await reservations.reserveAll({ wallet, demands, since: 0n, metadata });
    }
    const [found, again] = [
      await reservations.reserve(claim('oldest')),
      await over(log, 100_000n).reserve(claim('oldest')),
    ];
    expect(found).toEqual(oldest);
    expect(again).toEqual(oldest);
    expect(await reservations.release(claim('oldest'))).toBe(true);
    expect(log.written()).toHaveLength(21_002);
  });

  it('do not block those on another wallet', async () => {
    const log = new Log();
    const held = new ReachedLog(log, (_what, of) =>
      of === stream ? new Promise(() => undefined) : Promise.resolve(),
    );
    const reservations = over(held);
    void reservations.reserve(claim('waits'));
    const other = { ...claim('goes'), wallet: { ...wallet, accountNo: '2' } };
    expect(await reservations.reserve(other)).toMatchObject({ ok: true });
  });

  it('end at a bound: of those that wait, and of races lost', async () => {
    const log = new Log();
    const held = over(new ReachedLog(log, () => new Promise(() => undefined)));
    const waiting = many(8192, (at) => held.reserve(claim(`s${at}`)));
    await expect(held.reserve(claim('one more'))).rejects.toThrow(ReservationsContested);
    expect(waiting).toHaveLength(8192);
    log.append = (of) => Promise.reject(new WrongExpectedRevision(of, 7n));
    const lost = over(log).reserve(claim('a'));
    await expect(lost).rejects.toThrow(ReservationsContested);
    await expect(lost).rejects.toBeInstanceOf(DependencyUnavailable);
  });

  it('fail together if the store is away, without waiting for it one after the other', async () => {
    const log = new Log();
    const append = log.append.bind(log);
    log.append = () => {
      log.appends += 1;
      return Promise.reject(unavailable());
    };
    const reservations = over(log);
    const answers = await Promise.allSettled(
      many(600, (at) => reservations.reserve(claim(`s${at}`))),
    );
    expect(answers.every(({ status }) => status === 'rejected')).toBe(true);
    expect(log.appends).toBe(2);
    log.append = append;
    expect(await reservations.reserve(claim('s1'))).toMatchObject({ ok: true });
  });

  it('are served if their append was made but its answer was lost', async () => {
    const log = new Log();
    let lost = 1;
    const losing = new ReachedLog(log, (what) =>
      what === 'append answered' && (lost -= 1) >= 0
        ? Promise.reject(unavailable())
        : Promise.resolve(),
    );
    const reserved = await over(losing).reserve(claim('a'));
    expect(reserved).toMatchObject({ ok: true, value: { revision: 0n } });
    expect(log.written()).toHaveLength(1);
  });

  it('give back though Postgres is away', async () => {
    const log = new Log();
    await over(log).reserve(claim('a'));
    class Away extends PostedCredits {
      override creditsOf = () => Promise.reject(new DependencyUnavailable('postgres', 'away'));
    }
    const reservations = new Reservations(log, new Away(), ids);
    const answers = await Promise.allSettled([
      reservations.release(claim('x')),
      reservations.reserve(claim('b')),
      reservations.release(claim('a')),
    ]);
    expect(answers).toMatchObject([
      { value: false },
      { reason: expect.any(DependencyUnavailable) },
      { value: true },
    ]);
  });
});

/** Counts the events that it returns at once. */
class CountingLog extends Log {
  largest = 0;
  /** The most events returned together by reads of the same turn of the event loop. */
  mostHeld = 0;
  #held = 0;
  override async readStream<E extends EventRecord>(
    of: string,
    from?: bigint,
    limit?: number,
  ): Promise<RecordedEvent<E>[]> {
    const events = await super.readStream<E>(of, from, limit);
    this.largest = Math.max(this.largest, events.length);
    this.#held += events.length;
    this.mostHeld = Math.max(this.mostHeld, this.#held);
    await turns(1);
    this.#held -= events.length;
    return events;
  }
}

/** Reserves for these old payouts first, then for thousands of others. */
async function busy(log: Log, old: readonly string[], thousands: number): Promise<void> {
  const others = over(log, 100_000n);
  for (const source of old) await others.reserve(claim(source));
  for (let at = 0; at < thousands; at += 1) {
    const demands = many(1000, (each) => claim(`${at} ${each}`));
    await others.reserveAll({ wallet, demands, since: 0n, metadata });
  }
}

describe('a payout that waited while its wallet was busy', () => {
  it('is searched for in little memory, however many are searched for', async () => {
    const log = new CountingLog();
    await busy(log, ['a', 'b', 'c'], 5);
    [log.largest, log.mostHeld] = [0, 0];
    const fresh = () => over(log, 100_000n);
    expect(await fresh().find(wallet, 'a', undefined)).toMatchObject({ revision: 0n });
    expect(await fresh().mayReserve({ ...claim('new'), amountMinor: 94_997n })).toBe(true);
    expect(await fresh().mayReserve({ ...claim('new'), amountMinor: 94_998n })).toBe(false);
    expect(await fresh().mayReserve({ ...claim('a'), amountMinor: 94_998n })).toBe(true);
    expect(await fresh().reserve(claim('a'))).toMatchObject({ ok: true, value: { revision: 0n } });
    expect(await fresh().release(claim('a'))).toBe(true);
    expect(await fresh().release(claim('a'))).toBe(false);
    const all = { wallet, sources: ['b', 'c', 'x'], since: undefined, metadata };
    expect(await fresh().releaseAll(all)).toBe(2);
    const reservations = fresh();
    await Promise.all([
      ...many(50, (at) => reservations.release(claim(`0 ${at}`))),
      ...many(50, (at) => reservations.reserve(claim(`late ${at}`))),
    ]);
    expect(log.largest).toBe(500);
    expect(log.mostHeld).toBeLessThanOrEqual(1000);
    expect(log.written()).toHaveLength(5_003 + 3 + 100);
    expect(log.written().at(-1)?.data.totalMinor).toBe(5_000n);
  });

  it('does not block other claims if the process knows nothing of the wallet yet', async () => {
    const log = new Log();
    await busy(log, ['old'], 11);
    let letGo = (): void => undefined;
    const held = new Promise<void>((resolve) => (letGo = resolve));
    let reads = 0;
    const first: () => Promise<void> = () => ((reads += 1) === 1 ? held : Promise.resolve());
    const slow = new ReachedLog(log, (what) => (what === 'read' ? first() : Promise.resolve()));
    const reservations = over(slow, 100_000n);
    const old = reservations.release(claim('old'));
    await turns(2);
    expect(reads).toBe(1);
    const head = BigInt(log.written().length - 1);
    const served = { ok: true, value: { revision: head + 1n } };
    expect(await reservations.reserve(claim('fresh', 1n, head))).toMatchObject(served);
    expect(await reservations.release(claim('10 7', 1n, head - 2_000n))).toBe(true);
    letGo();
    expect(await old).toBe(true);
    expect(log.written()).toHaveLength(11_001 + 3);
  });

  it('is released once if others release it during the search', async () => {
    const log = new Log();
    await busy(log, ['old'], 1);
    let rivals = 1;
    const raced = new ReachedLog(log, async (what) => {
      if (what === 'read' && (rivals -= 1) >= 0) await over(log).release(claim('old'));
    });
    expect(await over(raced).release(claim('old'))).toBe(false);
    expect(log.written()).toHaveLength(1_002);
  });

  it('is found even if the process forgets during the search what it knew at the start', async () => {
    const log = new Log();
    await busy(log, ['old'], 1);
    const rest = { isAway: false, letGo: (): void => undefined };
    const held = new Promise<void>((resolve) => (rest.letGo = resolve));
    const reached = new ReachedLog(log, async (what) => {
      if (what === 'read') await held;
      if (what === 'append sent' && rest.isAway) throw unavailable();
    });
    const reservations = over(reached, 100_000n);
    await reservations.reserve(claim('known', 1n, 1_000n));
    await reservations.reserve(claim('newest', 1n, 1_000n));
    const all = { wallet, sources: ['old', 'known'], since: undefined, metadata };
    const released = reservations.releaseAll(all);
    rest.isAway = true;
    await expect(reservations.reserve(claim('lost', 1n, 1_001n))).rejects.toThrow(
      EventStoreUnavailable,
    );
    rest.isAway = false;
    await over(log, 100_000n).reserve(claim('rival'));
    rest.letGo();
    expect(await released).toBe(2);
  });

  it('is found by a process that missed what many others did', async () => {
    const log = new CountingLog();
    const idle = over(log, 100_000n);
    await idle.reserve(claim('old'));
    await busy(log, ['other'], 5);
    log.largest = 0;
    const [released, reserved, again] = await Promise.all([
      idle.release(claim('old')),
      idle.reserve(claim('new', 7n, 4_000n)),
      idle.reserve(claim('4 999', 1n, 1n)),
    ]);
    expect([released, reserved.ok]).toEqual([true, true]);
    expect(again).toMatchObject({ ok: true, value: { revision: 5_001n } });
    expect(log.largest).toBeLessThanOrEqual(2_000);
    expect(log.written().at(-1)?.data.totalMinor).toBe(5_001n + 7n);
    expect(log.written()).toHaveLength(5_002 + 2);
  });
});

const sources = ['p-0', 'p-1', 'p-2', 'p-3'] as const;
const ask = fc.record({
  process: fc.nat({ max: 1 }),
  kind: fc.constantFrom('reserve' as const, 'reserve' as const, 'release' as const, 'all' as const),
  source: fc.constantFrom(...sources),
  amountMinor: fc.bigInt({ min: 1n, max: 8n }),
  /** The number of turns of the event loop before the next call. */
  pause: fc.nat({ max: 3 }),
});
/** The troubles of the calls to the store, in their order. */
const trouble = fc.constantFrom(
  ...(['none', 'none', 'none', 'lost before', 'lost after', 'dies', 'slow'] as const),
);

describe('the claims of several processes on one wallet', () => {
  it('never overdraw it, and each caller gets the log’s result or learns that it is unknown', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(ask, { minLength: 1, maxLength: 25 }),
        fc.array(trouble, { maxLength: 40 }),
        run,
      ),
      { numRuns: 300 },
    );
  });
});

type Ask = typeof ask extends fc.Arbitrary<infer T> ? T : never;
type Trouble = typeof trouble extends fc.Arbitrary<infer T> ? T : never;

const creditsMinor = 12n;
const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) await new Promise(setImmediate);
};

/** @returns a process that restarts after it dies; its pending calls then never finish */
function restarting(log: Log, troubles: Trouble[]) {
  const start = () => {
    const life = { dead: false, end: (): void => undefined };
    const death = new Promise<'died'>((resolve) => {
      life.end = () => {
        life.dead = true;
        resolve('died');
      };
    });
    const reached = new ReachedLog(log, async (what) => {
      const befalls = troubles.shift() ?? 'none';
      if (befalls === 'slow') await turns(3);
      if (befalls === 'dies') life.end();
      if (life.dead) await new Promise(() => undefined);
      if (befalls === 'lost before' && what !== 'append answered') throw unavailable();
      if (befalls === 'lost after' && what === 'append answered') throw unavailable();
    });
    return { life, death, reservations: over(reached, creditsMinor) };
  };
  let current = start();
  return () => {
    if (current.life.dead) current = start();
    return current;
  };
}

async function run(asks: Ask[], befalls: Trouble[]): Promise<void> {
  const log = new Log();
  const troubles = [...befalls];
  const processes = [restarting(log, troubles), restarting(log, troubles)];
  const answers: Promise<void>[] = [];
  for (const each of asks) {
    const process = processes[each.process]?.();
    if (!process) throw new TypeError('there are two processes');
    const answer = told(log, each, process.reservations).catch((error: unknown) => {
      if (!(error instanceof DependencyUnavailable)) throw error;
    });
    answers.push(Promise.race([answer, process.death.then(() => undefined)]));
    await turns(each.pause);
  }
  await Promise.all(answers);
  const standing = new Map<string, bigint>();
  for (const { type, data } of log.written()) {
    expect(standing.has(data.source)).toBe(type === 'ReservationReleased');
    if (type === 'FundsReserved') standing.set(data.source, data.amountMinor);
    else standing.delete(data.source);
    const total = [...standing.values()].reduce((sum, each) => sum + each, 0n);
    expect(data.totalMinor).toBe(total);
    expect(total).toBeLessThanOrEqual(creditsMinor);
  }
}

async function told(log: Log, { kind, source, amountMinor }: Ask, asked: Reservations) {
  const before = log.written().length;
  /** True if the condition held at some moment since the call. */
  const wasSo = (holds: (events: readonly ReservationEvent[]) => boolean): boolean =>
    many(log.written().length - before + 1, (more) => log.written().slice(0, before + more)).some(
      holds,
    );
  const totalOf = (events: readonly ReservationEvent[]) => events.at(-1)?.data.totalMinor ?? 0n;
  const stands = (events: readonly ReservationEvent[]) =>
    standingReservation(events, source) !== undefined;
  const isOver = (events: readonly ReservationEvent[]) =>
    events.findLast(({ data }) => data.source === source)?.type === 'ReservationReleased';
  if (kind === 'release') {
    const released = await asked.release(claim(source));
    const mine = ({ type, data }: ReservationEvent) =>
      type === 'ReservationReleased' && data.source === source;
    if (released) expect(log.written().slice(before).some(mine)).toBe(true);
    else expect(wasSo((events) => !stands(events))).toBe(true);
    return;
  }
  if (kind === 'reserve') {
    const reserved = await asked.reserve(claim(source, amountMinor));
    if (reserved.ok) expectInLog(log, source, reserved.value);
    else
      expect(
        wasSo(
          (events) =>
            !stands(events) && (isOver(events) || totalOf(events) + amountMinor > creditsMinor),
        ),
      ).toBe(true);
    return;
  }
  const demands = sources.map((each) => claim(each, amountMinor));
  const reserved = await asked.reserveAll({ wallet, demands, since: undefined, metadata });
  if (reserved.ok) for (const [of, value] of reserved.value) expectInLog(log, of, value);
}

function expectInLog(
  log: Log,
  source: string,
  { id, revision, data }: { id: string; revision: bigint; data: FundsReserved['data'] },
): void {
  expect(log.streams.get(stream)?.[Number(revision)]).toMatchObject({
    id,
    data,
    type: 'FundsReserved',
  });
  expect(data.source).toBe(source);
}
