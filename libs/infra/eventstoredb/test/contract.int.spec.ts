import {
  EventStoreUnavailable,
  type RecordedEvent,
  UnknownEventType,
  WrongExpectedRevision,
} from '#domain/event-sourcing';
import { msFromInstant } from '#domain/kernel';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedStore } from './embedded-store.js';
import {
  collected,
  counted,
  inShort,
  itemsUntil,
  newerTypes,
  noted,
  openStore,
  type OpenStore,
  ownPrefix,
  types,
} from './subject.js';

/** The port's contract, on the store that EVENTSTORE_URL names: the embedded store, a server, a cluster. */
let own: EmbeddedStore | undefined;
let open: OpenStore;
let url: string;

beforeAll(async () => {
  own = process.env['EVENTSTORE_URL'] ? undefined : await EmbeddedStore.start();
  url = process.env['EVENTSTORE_URL'] ?? own?.url ?? '';
  open = openStore(url, { eventTypes: newerTypes });
});

afterAll(async () => {
  await open.store.dispose();
  await own?.remove();
});

const numbers = (events: readonly RecordedEvent[]) =>
  events.map(({ data }) => (data as { n: number }).n);

describe('append', () => {
  it('returns the revision and position of its last event, and the next event follows it', async () => {
    const stream = `${ownPrefix()}a`;
    const first = await open.store.append(stream, 'no_stream', counted(3));
    expect(first.revision).toBe(2n);
    const second = await open.store.append(stream, 2n, counted(1, 3));
    expect(second.revision).toBe(3n);
    expect(second.position).toBeGreaterThan(first.position);
    const events = await open.store.readStream(stream);
    expect(events.map(({ revision }) => revision)).toEqual([0n, 1n, 2n, 3n]);
    expect(events[2]?.position).toBe(first.position);
    expect(events[3]?.position).toBe(second.position);
  });

  it('gives back what was written: amounts of any size, text in any script, metadata, ids', async () => {
    const stream = `${ownPrefix()}a`;
    const data = {
      amountMinor: -(2n ** 200n),
      legs: [{ account: 'wallet:1', amountMinor: 9_850n }],
      name: 'Wanjikũ – 王 🌍 "\\\n',
      resultCode: 0,
    };
    const event = noted(data);
    await open.store.append(stream, 'no_stream', [event]);
    const [read] = await open.store.readStream(stream);
    expect(read).toMatchObject({ id: event.id, stream, type: 'Noted', data, revision: 0n });
    expect(read?.metadata).toEqual(event.metadata);
    expect(Math.abs(msFromInstant(read?.recordedAt ?? ('' as never)) - Date.now())).toBeLessThan(
      60_000,
    );
  });

  it('reports the actual head if the expected revision is wrong, and writes nothing', async () => {
    const stream = `${ownPrefix()}a`;
    await expect(open.store.append(stream, 4n, counted(1))).rejects.toMatchObject({
      name: 'WrongExpectedRevision',
      actual: 'no_stream',
    });
    await open.store.append(stream, 'no_stream', counted(3));
    for (const expected of ['no_stream', 0n, 1n, 7n] as const) {
      const lost = await open.store.append(stream, expected, counted(1)).catch((e: unknown) => e);
      expect(lost).toBeInstanceOf(WrongExpectedRevision);
      expect(lost).toMatchObject({ stream, actual: 2n });
    }
    expect(await open.store.readStream(stream)).toHaveLength(3);
  });

  it('repeated with the same ids is the same append, even after the stream grew', async () => {
    const stream = `${ownPrefix()}a`;
    const [first, second] = [counted(2), counted(2, 2)];
    const answers = [
      await open.store.append(stream, 'no_stream', first),
      await open.store.append(stream, 1n, second),
    ];
    expect(await open.store.append(stream, 'no_stream', first)).toEqual(answers[0]);
    expect(await open.store.append(stream, 1n, second)).toEqual(answers[1]);
    expect(await open.store.readStream(stream)).toHaveLength(4);
  });

  it('lets one of many that race for a stream win', async () => {
    const stream = `${ownPrefix()}a`;
    const races = Array.from({ length: 20 }, (_, n) =>
      open.store.append(stream, 'no_stream', [noted({ n })]).then(
        () => 'won',
        (error: unknown) => (error as Error).name,
      ),
    );
    const outcomes = await Promise.all(races);
    expect(outcomes.filter((outcome) => outcome === 'won')).toHaveLength(1);
    expect(outcomes.filter((outcome) => outcome === 'WrongExpectedRevision')).toHaveLength(19);
  });

  it('refuses at once what can never be appended', async () => {
    const stream = `${ownPrefix()}a`;
    const startedAt = performance.now();
    await expect(open.store.append(stream, -1n, counted(1))).rejects.toThrow(TypeError);
    await expect(open.store.append(stream, 'no_stream', [])).rejects.toThrow(TypeError);
    await expect(open.store.append(stream, 'no_stream', [noted({ sum: 1n })])).rejects.toThrow(
      TypeError,
    );
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    const large = [noted({ text: 'x'.repeat(2 ** 20 + 1) })];
    const refusal = await open.store.append(stream, 'no_stream', large).catch((e: unknown) => e);
    expect(refusal).not.toBeInstanceOf(EventStoreUnavailable);
    expect((refusal as Error).message).toMatch(/maximum append size/);
    expect(await open.store.readStream(stream)).toEqual([]);
  });

  it('keeps order and answers apart with hundreds in flight', async () => {
    const prefix = ownPrefix();
    await Promise.all(
      Array.from({ length: 300 }, async (_, k) => {
        const answer = await open.store.append(`${prefix}${k}`, 'no_stream', counted(1 + (k % 5)));
        expect(answer.revision).toBe(BigInt(k % 5));
      }),
    );
    expect(await collected(open.store.readAll('start', [prefix]))).toHaveLength(900);
  });
});

describe('readStream and readLast', () => {
  it('return nothing for a stream that does not exist', async () => {
    const stream = `${ownPrefix()}never`;
    expect(await open.store.readStream(stream)).toEqual([]);
    expect(await open.store.readLast(stream)).toBeUndefined();
  });

  it('return all events, oldest first, over several pages, and the newest', async () => {
    const stream = `${ownPrefix()}long`;
    await open.store.append(stream, 'no_stream', counted(600));
    await open.store.append(stream, 599n, counted(400, 600));
    expect(numbers(await open.store.readStream(stream))).toEqual([...Array(1_000).keys()]);
    const part = numbers(await open.store.readStream(stream, 150n, 700));
    expect(part).toEqual([...Array(850).keys()].slice(150));
    expect(numbers(await open.store.readStream(stream, 499n, 1))).toEqual([499]);
    expect(await open.store.readLast(stream)).toMatchObject({ revision: 999n, data: { n: 999 } });
  });

  it('stop at an event that this release does not know', async () => {
    const stream = `${ownPrefix()}strange`;
    await open.store.append(stream, 'no_stream', [noted(), noted({}, 'Strange')]);
    const older = openStore(url, { eventTypes: types });
    try {
      await expect(older.store.readStream(stream)).rejects.toThrow(UnknownEventType);
      await expect(older.store.readLast(stream)).rejects.toThrow(/Strange version/);
    } finally {
      await older.store.dispose();
    }
  });
});

describe('head', () => {
  it('is the newest event under the prefixes, whatever other writers append after it', async () => {
    const [mine, yours, never] = [ownPrefix(), ownPrefix(), ownPrefix()];
    const first = await open.store.append(`${mine}a`, 'no_stream', counted(2));
    expect(await open.store.head([mine])).toBe(first.position);
    for (let n = 0; n < 50; n += 1)
      await open.store.append(`${yours}${n}`, 'no_stream', counted(1));
    expect(await open.store.head([mine])).toBe(first.position);
    const last = await open.store.append(`${yours}last`, 'no_stream', counted(1));
    expect(await open.store.head([never, mine, yours])).toBe(last.position);
    const next = await open.store.append(`${mine}b`, 'no_stream', counted(1));
    expect(await open.store.head([mine])).toBe(next.position);
  });

  it('asks of one log from the start for all who ask first at once', async () => {
    const [mine, yours] = [ownPrefix(), ownPrefix()];
    const first = await open.store.append(`${mine}a`, 'no_stream', counted(1));
    for (let n = 0; n < 3; n += 1)
      await open.store.append(`${yours}${n}`, 'no_stream', counted(900));
    const fresh = openStore(url);
    try {
      const heads = await Promise.all(Array.from({ length: 10 }, () => fresh.store.head([mine])));
      expect(heads).toEqual(Array(10).fill(first.position));
    } finally {
      await fresh.store.dispose();
    }
  });

  it('needs a prefix', async () => {
    await expect(open.store.head([])).rejects.toThrow(TypeError);
    await expect(open.store.subscribe('start', [''])).rejects.toThrow(TypeError);
  });
});

describe('end', () => {
  it('is no earlier than the newest event of any stream', async () => {
    const { position } = await open.store.append(ownPrefix(), 'no_stream', counted(2));
    const end = await open.store.end();
    // Other specs may share the log, and a server writes events of its own.
    expect(end >= position).toBe(true);
  });

  it('ends its call if its caller has aborted', async () => {
    await expect(open.store.end(AbortSignal.abort())).rejects.toThrow(EventStoreUnavailable);
    await open.store.end();
  });
});

describe('readAll', () => {
  it('returns only the events under the prefixes, in log order, after the position, up to the head', async () => {
    const [mine, also, yours] = [ownPrefix(), ownPrefix(), ownPrefix()];
    const first = await open.store.append(`${mine}a`, 'no_stream', counted(2));
    await open.store.append(`${yours}a`, 'no_stream', counted(3));
    await open.store.append(`${also}b`, 'no_stream', counted(1));
    await open.store.append(`${mine}a`, 1n, counted(2, 2));
    const all = await collected(open.store.readAll('start', [mine, also]));
    expect(all.map(({ stream, revision }) => `${stream.slice(-1)}${revision}`)).toEqual([
      'a0',
      'a1',
      'b0',
      'a2',
      'a3',
    ]);
    const rest = await collected(open.store.readAll(first.position, [mine, also]));
    expect(rest).toEqual(all.slice(2));
    const head = await open.store.head([mine, also]);
    expect(await collected(open.store.readAll(head, [mine, also]))).toEqual([]);
    expect(await collected(open.store.readAll('start', [ownPrefix()]))).toEqual([]);
  });

  it('can be left early and begun again', async () => {
    const prefix = ownPrefix();
    await open.store.append(`${prefix}a`, 'no_stream', counted(700));
    for (let round = 0; round < 5; round += 1) {
      for await (const event of open.store.readAll('start', [prefix]))
        if (event.revision === 10n) break;
    }
    expect(await collected(open.store.readAll('start', [prefix]))).toHaveLength(700);
  });
});

describe('subscribe', () => {
  it('catches up, reports it, and continues live, in order, without duplicates or gaps', async () => {
    const [mine, yours] = [ownPrefix(), ownPrefix()];
    await open.store.append(`${mine}a`, 'no_stream', counted(40));
    await open.store.append(`${yours}a`, 'no_stream', counted(5));
    const subscription = await open.store.subscribe('start', [mine]);
    const items: string[] = [];
    for await (const item of subscription) {
      if (item.kind === 'checkpoint') continue;
      items.push(inShort(item));
      if (item.kind === 'caught-up' && items.length === 41)
        await open.store.append(`${mine}a`, 39n, counted(10, 40));
      if (inShort(item) === 'a:49') break;
    }
    const events = items.filter((item) => item !== 'caught-up');
    expect(events).toEqual(Array.from({ length: 50 }, (_, n) => `a:${n}`));
    expect(items[40]).toBe('caught-up');
  });

  it('begins after the position it is given', async () => {
    const prefix = ownPrefix();
    const first = await open.store.append(`${prefix}a`, 'no_stream', counted(3));
    await open.store.append(`${prefix}b`, 'no_stream', counted(1));
    const subscription = await open.store.subscribe(first.position, [prefix]);
    const items = await itemsUntil(subscription, ({ kind }) => kind === 'caught-up');
    expect(items.map(inShort).filter((item) => item !== 'checkpoint')).toEqual([
      'b:0',
      'caught-up',
    ]);
  });

  it('reports how far it has read if nothing matches, in order and before the next event', async () => {
    const [mine, yours] = [ownPrefix(), ownPrefix()];
    const begin = await open.store.append(`${mine}a`, 'no_stream', counted(1));
    for (let from = 0; from < 3_000; from += 500)
      await open.store.append(`${yours}${from}`, 'no_stream', counted(500));
    const last = await open.store.append(`${mine}z`, 'no_stream', counted(1));
    const subscription = await open.store.subscribe(begin.position, [mine]);
    const items = await itemsUntil(subscription, ({ kind }) => kind === 'event');
    const checkpoints = items.flatMap((item) =>
      item.kind === 'checkpoint' ? [item.position] : [],
    );
    expect(checkpoints.length).toBeGreaterThanOrEqual(4);
    expect(checkpoints.toSorted((a, b) => (a < b ? -1 : 1))).toEqual(checkpoints);
    expect(checkpoints.every((at) => at > begin.position && at <= last.position)).toBe(true);
    const resumed = await open.store.subscribe(checkpoints.at(-1) ?? 0n, [mine]);
    const rest = await itemsUntil(resumed, ({ kind }) => kind === 'event');
    expect(rest.map(inShort).at(-1)).toBe('z:0');
  });

  it('sends no checkpoint before the events in front of it, however slow the consumer', async () => {
    const [mine, yours] = [ownPrefix(), ownPrefix()];
    for (let round = 0; round < 4; round += 1) {
      await open.store.append(`${mine}${round}`, 'no_stream', counted(30));
      await open.store.append(`${yours}${round}`, 'no_stream', counted(1_000));
    }
    const subscription = await open.store.subscribe('start', [mine]);
    let highest = 0n;
    let events = 0;
    for await (const item of subscription) {
      if (item.kind === 'caught-up' || item.kind === 'unreadable') break;
      const position = item.kind === 'event' ? item.event.position : item.position;
      expect(position).toBeGreaterThanOrEqual(highest);
      highest = position;
      events += item.kind === 'event' ? 1 : 0;
      await sleep(1);
    }
    expect(events).toBe(120);
  });

  it('ends its iteration without an error when closed', async () => {
    const subscription = await open.store.subscribe('start', [ownPrefix()]);
    const iteration = itemsUntil(subscription, () => false);
    await sleep(50);
    await subscription.close();
    await expect(iteration).resolves.toBeDefined();
    await subscription.close();
  });

  it('drops a live consumer that is too slow, which continues from its last position', async () => {
    const prefix = ownPrefix();
    const subscription = await open.store.subscribe('start', [prefix]);
    let last: bigint | 'start' = 'start';
    let seen = 0;
    let drops = 0;
    let written: Promise<void> | undefined;
    // More bytes than the client lets the server send ahead (1 MiB), in appends below the 1 MiB that one may have.
    const [appends, each] = [8, 100];
    const text = 'x'.repeat(8 * 1024);
    const all = appends * each;
    const write = async (): Promise<void> => {
      for (let nth = 0; nth < appends; nth += 1) {
        const events = Array.from({ length: each }, (_, n) => noted({ n: nth * each + n, text }));
        const expected = nth === 0 ? 'no_stream' : BigInt(nth * each - 1);
        await open.store.append(`${prefix}a`, expected, events);
      }
    };
    const follow = async (following: typeof subscription): Promise<void> => {
      for await (const item of following) {
        // Events that are written while it still catches up are read like the rest, at its own pace.
        if (item.kind === 'caught-up') written ??= write();
        if (item.kind !== 'event') continue;
        // It takes nothing until everything is written, however fast the machine is.
        await written;
        last = item.event.position;
        seen += 1;
        if (seen === all) return;
      }
    };
    let following = subscription;
    while (seen < all) {
      try {
        await follow(following);
      } catch (error) {
        expect(error).toBeInstanceOf(EventStoreUnavailable);
        expect((error as Error).message).toMatch(/too slow/);
        drops += 1;
        following = await open.store.subscribe(last, [prefix]);
      }
    }
    expect(seen).toBe(all);
    expect(drops).toBeGreaterThan(0);
  });

  it('stops at an event that this release does not know', async () => {
    const prefix = ownPrefix();
    await open.store.append(`${prefix}a`, 'no_stream', [noted(), noted({}, 'Strange')]);
    const older = openStore(url, { eventTypes: types });
    try {
      const subscription = await older.store.subscribe('start', [prefix]);
      await expect(itemsUntil(subscription, () => false)).rejects.toThrow(UnknownEventType);
      await expect(collected(older.store.readAll('start', [prefix]))).rejects.toThrow(/Strange/);
    } finally {
      await older.store.dispose();
    }
  });
});

describe('an append observed', () => {
  it('reports its outcome and how long it took', async () => {
    const stream = `${ownPrefix()}a`;
    await open.store.append(stream, 'no_stream', [{ ...noted(), id: randomUUID() }]);
    const outcomes: string[] = [];
    await open.store.dispose();
    open = openStore(url, {
      eventTypes: newerTypes,
      onAppend: ({ outcome, seconds }) => {
        expect(seconds).toBeGreaterThan(0);
        outcomes.push(outcome);
      },
    });
    await open.store.append(stream, 0n, counted(1));
    await open.store.append(stream, 0n, counted(1)).catch(() => undefined);
    expect(outcomes).toEqual(['appended', 'conflict']);
  });
});
