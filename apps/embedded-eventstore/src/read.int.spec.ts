import {
  BACKWARDS,
  END,
  type EventStoreDBClient,
  FORWARDS,
  START,
  StreamNotFoundError,
  UnknownError,
} from '@eventstore/db-client';
import { describe, expect, it } from '@jest/globals';
import { collect, newStream, rejection, someEvent, someEvents } from '../test/events.js';
import { useStore } from '../test/store-process.js';

const LARGEST_INT64 = 2n ** 63n - 1n;
const LARGEST_UINT64 = 2n ** 64n - 1n;
let client: EventStoreDBClient;
const stream = newStream('read');

useStore(async (store) => {
  client = store.client;
  await client.appendToStream(stream, someEvents(8));
  await client.appendToStream(newStream('other'), someEvents(3));
});

describe('reading a stream', () => {
  const revisions = async (options: Parameters<EventStoreDBClient['readStream']>[1]) =>
    (await collect(client.readStream(stream, options))).map(({ revision }) => Number(revision));

  it.each([
    ['from its start', { fromRevision: START }, [0, 1, 2, 3, 4, 5, 6, 7]],
    ['from a revision, which is included', { fromRevision: 5n }, [5, 6, 7]],
    ['beyond its head', { fromRevision: 8n }, []],
    ['a limited number', { fromRevision: 1n, maxCount: 2 }, [1, 2]],
    ['backwards from its end', { direction: BACKWARDS, fromRevision: END, maxCount: 3 }, [7, 6, 5]],
    ['backwards from a revision', { direction: BACKWARDS, fromRevision: 1n }, [1, 0]],
    [
      'backwards from beyond its head',
      { direction: BACKWARDS, fromRevision: 99n, maxCount: 1 },
      [7],
    ],
    ['backwards from its start', { direction: BACKWARDS, fromRevision: START }, [0]],
    ['far beyond its head', { fromRevision: LARGEST_INT64 }, []],
    [
      'backwards from far beyond its head',
      { direction: BACKWARDS, fromRevision: LARGEST_INT64, maxCount: 2 },
      [7, 6],
    ],
    [
      'backwards from the number that means its end',
      { direction: BACKWARDS, fromRevision: LARGEST_UINT64, maxCount: 2 },
      [7, 6],
    ],
    ['more events than it has', { maxCount: Number.MAX_SAFE_INTEGER }, [0, 1, 2, 3, 4, 5, 6, 7]],
  ] as const)('reads %s', async (_name, options, expected) => {
    expect(await revisions(options)).toEqual(expected);
  });

  it.each([
    ['no event', { maxCount: 0 }],
    ['no event, backwards', { maxCount: 0, direction: BACKWARDS, fromRevision: END }],
    ['forwards from its end', { fromRevision: END }],
    ['forwards from the number that means its end', { fromRevision: LARGEST_UINT64 }],
  ] as const)('refuses to read %s, also if the stream is missing', async (_name, options) => {
    for (const name of [stream, newStream()]) {
      const error = await rejection(collect(client.readStream(name, options)));
      expect(error).toBeInstanceOf(UnknownError);
      expect(error).toMatchObject({ code: 2 });
      expect(String(error)).toContain('Unexpected ReadStreamResult: Error');
    }
  });

  it('refuses a number that is no revision', async () => {
    const error = await rejection(revisions({ fromRevision: LARGEST_INT64 + 1n }));
    expect(error).toMatchObject({ code: 2 });
  });

  it('tells a missing stream in band', async () => {
    const missing = newStream();
    const error = await rejection(collect(client.readStream(missing)));
    expect(error).toBeInstanceOf(StreamNotFoundError);
    expect(error).toMatchObject({ streamName: missing });
  });

  it('gives each event the position that its append answered', async () => {
    const own = newStream();
    const { position } = await client.appendToStream(own, someEvents(3));
    const read = client.readStream(own, { direction: BACKWARDS, fromRevision: END, maxCount: 1 });
    for await (const resolved of read) {
      expect(resolved.event?.position).toEqual(position);
      expect(resolved.commitPosition).toBe(position?.commit);
    }
    expect.assertions(2);
  });

  it('reads a stream of more events than a page holds, both ways', async () => {
    const long = newStream('long');
    for (let part = 0; part < 3; part++) await client.appendToStream(long, someEvents(300));
    const forwards = await collect(client.readStream(long));
    const backwards = await collect(
      client.readStream(long, { direction: BACKWARDS, fromRevision: END }),
    );
    expect(forwards.map(({ revision }) => Number(revision))).toEqual([...Array(900).keys()]);
    expect(backwards.map(({ id }) => id)).toEqual(forwards.map(({ id }) => id).reverse());
  });
});

describe('reading $all', () => {
  const all = async (options: Parameters<EventStoreDBClient['readAll']>[0] = {}) =>
    (await collect(client.readAll(options))).map(({ id }) => id);

  const positionsOf = async () =>
    (await collect(client.readAll())).map(
      ({ position }) => position ?? { commit: 0n, prepare: 0n },
    );

  it('holds every stream in one rising order, system events and metadata streams too', async () => {
    const events = await collect(client.readAll());
    expect(events[0]?.streamId.startsWith('$')).toBe(true);
    expect(events.filter(({ streamId }) => streamId === stream)).toHaveLength(8);
    const positions = events.map(({ position }) => position?.commit ?? -1n);
    expect(positions.every((position, at) => position > (positions[at - 1] ?? 0n))).toBe(true);
    await client.setStreamMetadata(newStream('described'), { maxCount: 12 });
    const [newest] = await collect(
      client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 }),
    );
    expect(newest).toMatchObject({ type: '$metadata' });
  });

  it('includes the given position forwards and excludes it backwards', async () => {
    const ids = await all();
    const positions = await positionsOf();
    const fromPosition = positions[4] ?? { commit: 0n, prepare: 0n };
    expect(await all({ fromPosition })).toEqual(ids.slice(4));
    expect(await all({ fromPosition, direction: BACKWARDS })).toEqual(ids.slice(0, 4).reverse());
    expect(await all({ fromPosition: END, direction: BACKWARDS })).toEqual([...ids].reverse());
    expect(await all({ fromPosition: START, maxCount: 2 })).toEqual(ids.slice(0, 2));
    expect(await all({ fromPosition: START, direction: BACKWARDS })).toEqual([]);
    expect(await all({ fromPosition: END })).toEqual([]);
  });

  const at = (commit: bigint, prepare = commit) => ({ fromPosition: { commit, prepare } });

  it('refuses a position that is no event’s, and finds nothing beyond the end', async () => {
    const [, second] = await positionsOf();
    const commit = (second?.commit ?? 0n) + 1n;
    for (const direction of [FORWARDS, BACKWARDS] as const) {
      const error = await rejection(all({ ...at(commit), direction }));
      expect(error).toBeInstanceOf(UnknownError);
      expect(String(error)).toContain('Unexpected ReadAllResult: Error');
      for (const beyond of [1n << 40n, LARGEST_INT64]) {
        expect(await all({ ...at(beyond), direction })).toEqual([]);
      }
    }
  });

  it('takes the largest number for the end, and refuses numbers that are no position', async () => {
    expect(await all(at(LARGEST_UINT64))).toEqual([]);
    const backwards = await all({ ...at(LARGEST_UINT64), direction: BACKWARDS });
    expect(backwards).toEqual((await all()).reverse());
    const [first] = await positionsOf();
    const commit = first?.commit ?? 0n;
    for (const wrong of [at(LARGEST_INT64 + 1n), at(commit, commit + 1n)]) {
      expect(await rejection(all(wrong))).toMatchObject({ code: 2 });
    }
  });

  it('returns nothing for a page of no events', async () => {
    expect(await all({ maxCount: 0 })).toEqual([]);
    expect(await all({ maxCount: 0, fromPosition: END, direction: BACKWARDS })).toEqual([]);
  });

  it('serves a reader that takes its time while others read on', async () => {
    const slow = client.readAll();
    const seen = [];
    for await (const { event } of slow) {
      seen.push(event?.id);
      if (seen.length < 5) await collect(client.readStream(stream, { maxCount: 1 }));
    }
    expect(seen).toEqual(await all());
  });
});

it('does not resolve links, and says so', async () => {
  const read = collect(client.readStream(stream, { resolveLinkTos: true }));
  expect(await rejection(read)).toMatchObject({ code: 12 });
});

it('answers what it does not have with UNIMPLEMENTED', async () => {
  const scavenges = client.listProjections();
  expect(await rejection(scavenges)).toMatchObject({ code: 12 });
  await client.appendToStream(stream, someEvent());
});
