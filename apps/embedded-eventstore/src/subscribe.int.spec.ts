import {
  END,
  eventTypeFilter,
  type EventStoreDBClient,
  excludeSystemEvents,
  type Filter,
  type Position,
  START,
  StreamDeletedError,
  streamNameFilter,
} from '@eventstore/db-client';
import { describe, expect, it } from '@jest/globals';
import { collect, newStream, someEvent, someEvents } from '../test/events.js';
import { follow } from '../test/follow.js';
import { connect, type StoreProcess, useStore } from '../test/store-process.js';

let store: StoreProcess;
let client: EventStoreDBClient;

useStore((started) => {
  store = started;
  client = store.client;
});

describe('a subscription to $all', () => {
  it('brings what was written and what is written, each event once and in order', async () => {
    const { position } = await client.appendToStream(newStream(), someEvent());
    await client.appendToStream(newStream(), someEvents(300));
    const followed = follow(client.subscribeToAll({ fromPosition: position ?? START }));
    const writing = (async () => {
      for (let at = 0; at < 60; at++) await client.appendToStream(newStream(), someEvents(5));
    })();
    await writing;
    await followed.until(() => followed.events.length >= 600);
    await followed.subscription.unsubscribe();
    const positions = followed.events.map(({ commitPosition }) => commitPosition ?? 0n);
    expect(positions).toHaveLength(600);
    expect(
      positions.every((at, index) => at > (positions[index - 1] ?? position?.commit ?? 0n)),
    ).toBe(true);
    expect(followed.state).toMatchObject({ confirmed: 1, caughtUp: 1, error: undefined });
  });

  it('from the end brings only new events', async () => {
    const followed = follow(client.subscribeToAll({ fromPosition: END }));
    await followed.until(() => followed.state.caughtUp === 1);
    await client.appendToStream(newStream(), someEvents(3, 'New'));
    await followed.until(() => followed.events.length >= 3);
    await followed.subscription.unsubscribe();
    expect(followed.names()).toEqual(['New', 'New', 'New']);
  });

  it('from the start brings the system’s events too', async () => {
    const followed = follow(client.subscribeToAll({ fromPosition: START }));
    await followed.until(() => followed.state.caughtUp === 1);
    await followed.subscription.unsubscribe();
    expect(followed.names()[0]).toBe('$created');
  });

  it('refuses a position that is no event’s', async () => {
    const { position } = await client.appendToStream(newStream(), someEvent());
    const commit = (position?.commit ?? 0n) + 1n;
    await client.appendToStream(newStream(), someEvent());
    const followed = follow(client.subscribeToAll({ fromPosition: { commit, prepare: commit } }));
    await followed.until(() => followed.state.error !== undefined);
    expect(followed.state.error).toMatchObject({ code: 2 });
  });
});

describe('a filter', () => {
  const cases: [string, (tag: string) => Filter, string[]][] = [
    [
      'stream name prefixes',
      (tag) => streamNameFilter({ prefixes: [`${tag}a`, `${tag}b`] }),
      ['A', 'B', 'A2'],
    ],
    [
      'a stream name pattern',
      (tag) => streamNameFilter({ regex: `^${tag}[ac]-` }),
      ['A', 'C', 'A2'],
    ],
    ['event type prefixes', (tag) => eventTypeFilter({ prefixes: [`A2${tag}`] }), ['A2']],
    ['an event type pattern', (tag) => eventTypeFilter({ regex: `^[BC]${tag}$` }), ['B', 'C']],
  ];

  it.each(cases)(
    'passes what matches %s, written before and live',
    async (_name, filter, names) => {
      const tag = newStream('t').replaceAll('-', '');
      const write = (stream: string, type: string) =>
        client.appendToStream(`${tag}${stream}-1`, someEvent(`${type}${tag}`));
      const written = names.map((name) => `${name}${tag}`);
      for (const [stream, type] of [
        ['a', 'A'],
        ['b', 'B'],
        ['c', 'C'],
        ['a', 'A2'],
      ] as const) {
        await write(stream, type);
      }
      const followed = follow(client.subscribeToAll({ fromPosition: START, filter: filter(tag) }));
      await followed.until(() => followed.state.caughtUp === 1);
      expect(followed.names()).toEqual(written);
      await write('d', 'D');
      for (const name of names) await write(name.charAt(0).toLowerCase(), name);
      await followed.until(() => followed.events.length >= 2 * names.length);
      await followed.subscription.unsubscribe();
      expect(followed.names()).toEqual([...written, ...written]);
    },
  );

  it('can exclude system events', async () => {
    const followed = follow(
      client.subscribeToAll({ fromPosition: START, filter: excludeSystemEvents() }),
    );
    await followed.until(() => followed.state.caughtUp === 1);
    await followed.subscription.unsubscribe();
    expect(followed.events.length).toBeGreaterThan(4);
    expect(followed.names().filter((name) => name?.startsWith('$'))).toEqual([]);
  });

  it('refuses an invalid pattern', async () => {
    const followed = follow(client.subscribeToAll({ filter: streamNameFilter({ regex: '(' }) }));
    await followed.until(() => followed.state.error !== undefined);
    expect(followed.state.error).toMatchObject({ code: 3 });
  });
});

describe('checkpoints of a filtered subscription', () => {
  const checkpointed = (
    options: Partial<{ checkpointInterval: number; maxSearchWindow: number }>,
  ) => {
    const checkpoints: Position[] = [];
    const filter = streamNameFilter({
      prefixes: ['matches-nothing'],
      checkpointInterval: 1,
      ...options,
      checkpointReached: (_, position) => {
        checkpoints.push(position);
        return Promise.resolve();
      },
    });
    return { checkpoints, filter };
  };

  it('come every interval × window considered events, and a reader can continue from them', async () => {
    const { position } = await client.appendToStream(newStream(), someEvent());
    await client.appendToStream(newStream('passed-over'), someEvents(200));
    const fromPosition = position ?? START;
    for (const [options, expected] of [
      [{}, 6],
      [{ checkpointInterval: 3 }, 2],
      [{ maxSearchWindow: 50 }, 4],
    ] as const) {
      const { checkpoints, filter } = checkpointed(options);
      const followed = follow(client.subscribeToAll({ fromPosition, filter }));
      await followed.until(() => followed.state.caughtUp === 1);
      await followed.subscription.unsubscribe();
      expect(checkpoints).toHaveLength(expected);
      const last = checkpoints.at(-1) ?? { commit: 0n, prepare: 0n };
      const [next] = await collect(client.readAll({ fromPosition: last, maxCount: 1 }));
      expect(next?.position).toEqual(last);
    }
  });

  it('continue live if nothing matches', async () => {
    const { checkpoints, filter } = checkpointed({});
    const followed = follow(client.subscribeToAll({ fromPosition: END, filter }));
    await followed.until(() => followed.state.caughtUp === 1);
    let newest: Position | undefined;
    for (let at = 0; at < 64; at++) {
      newest = (await client.appendToStream(newStream(), someEvent())).position;
    }
    while (checkpoints.length < 2) await new Promise((resolve) => setTimeout(resolve, 10));
    await followed.subscription.unsubscribe();
    expect(checkpoints.at(-1)).toEqual(newest);
  });
});

describe('a subscription from beyond the end', () => {
  it('waits in a stream for the events after its revision', async () => {
    const stream = newStream();
    await client.appendToStream(stream, someEvents(2));
    const followed = follow(client.subscribeToStream(stream, { fromRevision: 4n }));
    await followed.until(() => followed.state.caughtUp === 1);
    await client.appendToStream(stream, someEvents(2));
    await client.appendToStream(stream, someEvents(3));
    await followed.until(() => followed.events.length >= 2);
    await followed.subscription.unsubscribe();
    expect(followed.events.map(({ event }) => Number(event?.revision))).toEqual([5, 6]);
  });

  it('waits in $all for the events after its position', async () => {
    const { position } = await client.appendToStream(newStream(), someEvent());
    const commit = (position?.commit ?? 0n) + 5_000n;
    const followed = follow(client.subscribeToAll({ fromPosition: { commit, prepare: commit } }));
    await followed.until(() => followed.state.caughtUp === 1);
    const positions: bigint[] = [];
    while ((positions.at(-1) ?? 0n) <= commit) {
      const appended = await client.appendToStream(newStream(), someEvent());
      positions.push(appended.position?.commit ?? 0n);
    }
    await followed.until(() => followed.events.length >= 1);
    await followed.subscription.unsubscribe();
    expect(positions.length).toBeGreaterThan(5);
    expect(followed.events.map(({ commitPosition }) => commitPosition)).toEqual([positions.at(-1)]);
  });

  it('means the end itself if it is the largest number', async () => {
    const largest = 2n ** 64n - 1n;
    const stream = newStream();
    await client.appendToStream(stream, someEvents(2));
    const fromPosition = { commit: largest, prepare: largest };
    const both = [
      follow(client.subscribeToStream(stream, { fromRevision: largest })),
      follow(client.subscribeToAll({ fromPosition })),
    ];
    for (const followed of both) await followed.until(() => followed.state.caughtUp === 1);
    await client.appendToStream(stream, someEvent('New'));
    for (const followed of both) {
      await followed.until(() => followed.events.length >= 1);
      await followed.subscription.unsubscribe();
      expect(followed.names()).toEqual(['New']);
    }
  });
});

describe('a subscription to a stream', () => {
  it('brings its events alone, those before and those to come', async () => {
    const stream = newStream();
    await client.appendToStream(stream, someEvents(4));
    const followed = follow(client.subscribeToStream(stream, { fromRevision: 1n }));
    await followed.until(() => followed.state.caughtUp === 1);
    await client.appendToStream(newStream(), someEvents(2));
    await client.appendToStream(stream, someEvents(2));
    await followed.until(() => followed.events.length >= 4);
    await followed.subscription.unsubscribe();
    expect(followed.events.map(({ event }) => Number(event?.revision))).toEqual([2, 3, 4, 5]);
  });

  it('waits for a stream that is not there yet', async () => {
    const stream = newStream();
    const followed = follow(client.subscribeToStream(stream));
    await followed.until(() => followed.state.caughtUp === 1);
    await client.appendToStream(stream, someEvent());
    await followed.until(() => followed.events.length === 1);
    await followed.subscription.unsubscribe();
  });

  it('from the end brings only new events', async () => {
    const stream = newStream();
    await client.appendToStream(stream, someEvents(4));
    const followed = follow(client.subscribeToStream(stream, { fromRevision: END }));
    await followed.until(() => followed.state.caughtUp === 1);
    await client.appendToStream(stream, someEvent('New'));
    await followed.until(() => followed.events.length >= 1);
    await followed.subscription.unsubscribe();
    expect(followed.names()).toEqual(['New']);
  });

  it('continues when its stream is soft-deleted and begun anew', async () => {
    const stream = newStream();
    await client.appendToStream(stream, someEvents(2));
    const followed = follow(client.subscribeToStream(stream));
    await followed.until(() => followed.state.caughtUp === 1);
    await client.deleteStream(stream);
    await client.appendToStream(stream, someEvent());
    await followed.until(() => followed.events.length >= 3);
    await followed.subscription.unsubscribe();
    expect(followed.events.map(({ event }) => Number(event?.revision))).toEqual([0, 1, 2]);
  });

  it('is refused for a tombstoned stream', async () => {
    const stream = newStream();
    await client.tombstoneStream(stream);
    const followed = follow(client.subscribeToStream(stream));
    await followed.until(() => followed.state.error !== undefined);
    expect(followed.state.error).toBeInstanceOf(StreamDeletedError);
  });

  it('ends when it has caught up with a stream that was tombstoned meanwhile', async () => {
    const stream = newStream();
    const data = { text: 'x'.repeat(8192) };
    for (let part = 0; part < 4; part++) {
      const events = someEvents(100).map((event) => ({ ...event, data }));
      await client.appendToStream(stream, events);
    }
    const sluggish = connect(store.port);
    const subscription = sluggish.subscribeToStream(stream);
    const failed = new Promise<unknown>((resolve) => subscription.on('error', resolve));
    await new Promise<void>((resolve) => subscription.on('confirmation', resolve));
    // It reads nothing yet, so the server cannot have caught up.
    await client.tombstoneStream(stream);
    subscription.resume();
    expect(await failed).toBeInstanceOf(StreamDeletedError);
    await sluggish.dispose();
  });

  it('ends when its stream is tombstoned', async () => {
    const stream = newStream();
    await client.appendToStream(stream, someEvent());
    const followed = follow(client.subscribeToStream(stream));
    await followed.until(() => followed.state.caughtUp === 1);
    await client.tombstoneStream(stream);
    await followed.until(() => followed.state.error !== undefined);
    expect(followed.state.error).toBeInstanceOf(StreamDeletedError);
  });
});
