import { randomUUID } from 'node:crypto';
import {
  ANY,
  BACKWARDS,
  binaryEvent,
  DeadlineExceededError,
  type EventStoreDBClient,
  MaxAppendSizeExceededError,
  NO_STREAM,
  STREAM_EXISTS,
  StreamDeletedError,
  StreamNotFoundError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { describe, expect, it } from '@jest/globals';
import { collect, newStream, rejection, someEvent, someEvents } from '../test/events.js';
import { follow } from '../test/follow.js';
import { useStore } from '../test/store-process.js';

let client: EventStoreDBClient;

useStore((store) => {
  client = store.client;
});

/** A call with its own credentials uses Streams.Append, and one without uses Streams.BatchAppend. */
const paths = [
  ['BatchAppend', {}],
  ['Append', { credentials: { username: 'anybody', password: 'anything' } }],
] as const;

describe.each(paths)('appending by %s', (_path, options) => {
  it('gives back what was written, in order, at rising positions and one time', async () => {
    const stream = newStream('mteja-ñandú-🦒');
    const events = someEvents(5);
    const result = await client.appendToStream(stream, events, {
      expectedRevision: NO_STREAM,
      ...options,
    });
    const read = await collect(client.readStream(stream));
    expect(read.map(({ id }) => id)).toEqual(events.map(({ id }) => id));
    expect(read.map(({ revision }) => revision)).toEqual([0n, 1n, 2n, 3n, 4n]);
    expect(read.map(({ data }) => data)).toEqual(events.map(({ data }) => data));
    expect(read.every(({ streamId }) => streamId === stream)).toBe(true);
    expect(new Set(read.map(({ created }) => created.getTime())).size).toBe(1);
    const positions = read.map(({ position }) => position?.commit ?? 0n);
    expect([...positions].sort((a, b) => Number(a - b))).toEqual(positions);
    expect(new Set(positions).size).toBe(5);
    expect(result.nextExpectedRevision).toBe(4n);
    expect(result.position).toEqual({ commit: positions[4], prepare: positions[4] });
  });

  it('keeps binary data and the absence of metadata', async () => {
    const stream = newStream();
    const data = Uint8Array.from([0, 255, 128, 7]);
    await client.appendToStream(stream, binaryEvent({ type: 'Raw', data }), options);
    const [event] = await collect(client.readStream(stream));
    expect(event).toMatchObject({ isJson: false, type: 'Raw', metadata: undefined });
    expect([...(event?.data as Uint8Array)]).toEqual([...data]);
  });

  it('refuses a wrong expectation and reports the head that it found', async () => {
    const stream = newStream();
    const append = (expectedRevision: bigint | 'no_stream' | 'stream_exists') =>
      client.appendToStream(stream, someEvent(), { expectedRevision, ...options });
    expect(await rejection(append(STREAM_EXISTS))).toMatchObject({
      expectedVersion: STREAM_EXISTS,
      actualVersion: NO_STREAM,
    });
    expect(await rejection(append(3n))).toMatchObject({
      expectedVersion: 3n,
      actualVersion: NO_STREAM,
    });
    await client.appendToStream(stream, someEvents(2), options);
    const error = await rejection(append(NO_STREAM));
    expect(error).toBeInstanceOf(WrongExpectedVersionError);
    expect(error).toMatchObject({
      streamName: stream,
      expectedVersion: NO_STREAM,
      actualVersion: 1n,
    });
    expect(await rejection(append(0n))).toMatchObject({ expectedVersion: 0n, actualVersion: 1n });
    expect(await collect(client.readStream(stream))).toHaveLength(2);
  });

  it('refuses a tombstoned stream', async () => {
    const stream = newStream();
    await client.appendToStream(stream, someEvent(), options);
    await client.tombstoneStream(stream);
    const error = await rejection(client.appendToStream(stream, someEvent(), options));
    expect(error).toBeInstanceOf(StreamDeletedError);
    expect(error).toMatchObject({ streamName: stream });
  });

  it('refuses more than 1 MiB of data, metadata and types, and writes nothing of it', async () => {
    const stream = newStream();
    const big = (bytes: number) =>
      binaryEvent({ type: 'Big', data: new Uint8Array(bytes), metadata: new Uint8Array(1000) });
    const most = [...Array.from({ length: 15 }, () => big(64 * 1024)), big(49_440)];
    const error = await rejection(
      client.appendToStream(stream, [...most.slice(0, 15), big(49_441)], options),
    );
    expect(error).toBeInstanceOf(MaxAppendSizeExceededError);
    expect(error).toMatchObject({ maxAppendSize: 1024 * 1024 });
    await client.appendToStream(stream, most, options);
    expect(await collect(client.readStream(stream))).toHaveLength(16);
  });

  it('refuses an append whose deadline has passed', async () => {
    const late = client.appendToStream(newStream(), someEvents(8000), { deadline: 1, ...options });
    expect(await rejection(late)).toBeInstanceOf(DeadlineExceededError);
  });

  it('accepts an append without events, whose position lies between two events', async () => {
    const stream = newStream();
    const before = await client.appendToStream(stream, someEvents(3), options);
    const result = await client.appendToStream(stream, [], { expectedRevision: 2n, ...options });
    expect(result).toMatchObject({ success: true, nextExpectedRevision: 2n });
    const after = await client.appendToStream(stream, someEvent('Next'), {
      expectedRevision: 2n,
      ...options,
    });
    const position = result.position ?? { commit: 0n, prepare: 0n };
    expect(position.prepare).toBe(position.commit);
    expect(position.commit).toBeGreaterThan(before.position?.commit ?? 0n);
    expect(position.commit).toBeLessThan(after.position?.commit ?? 0n);
    const [next] = await collect(client.readAll({ fromPosition: position, maxCount: 1 }));
    expect(next?.position).toEqual(after.position);
    const [previous] = await collect(
      client.readAll({ fromPosition: position, maxCount: 1, direction: BACKWARDS }),
    );
    expect(previous?.position).toEqual(before.position);
    const followed = follow(client.subscribeToAll({ fromPosition: position }));
    await followed.until(() => followed.events.length >= 1);
    await followed.subscription.unsubscribe();
    expect(followed.events[0]?.commitPosition).toBe(after.position?.commit);
  });

  it('checks the expectation of an append without events, and starts no stream by it', async () => {
    const stream = newStream();
    const empty = (expectedRevision: bigint | 'any' | 'no_stream' | 'stream_exists') =>
      client.appendToStream(stream, [], { expectedRevision, ...options });
    expect(await empty(NO_STREAM)).toMatchObject({ success: true });
    expect(await empty(ANY)).toMatchObject({ success: true });
    for (const expected of [STREAM_EXISTS, 0n] as const) {
      expect(await rejection(empty(expected))).toMatchObject({ actualVersion: NO_STREAM });
    }
    expect(await rejection(collect(client.readStream(stream)))).toBeInstanceOf(StreamNotFoundError);
    await client.appendToStream(stream, someEvents(2), { expectedRevision: NO_STREAM, ...options });
    for (const expected of [NO_STREAM, 0n, 7n] as const) {
      expect(await rejection(empty(expected))).toMatchObject({ actualVersion: 1n });
    }
  });
});

describe('repeated appends', () => {
  const a = randomUUID();
  const b = randomUUID();
  const c = randomUUID();
  const other = randomUUID();
  const cases: [string, bigint | 'no_stream', string[], bigint | 'refused'][] = [
    ['all of it with no stream', NO_STREAM, [a, b, c], 2n],
    ['a prefix with no stream', NO_STREAM, [a, b], 1n],
    ['another id with no stream', NO_STREAM, [other], 'refused'],
    ['another order', NO_STREAM, [b, a], 'refused'],
    ['the second id first', NO_STREAM, [b], 'refused'],
    ['from a revision below the head', 0n, [b, c], 2n],
    ['from a revision, another id behind', 0n, [b, other], 'refused'],
    ['running past the end', 1n, [c, other], 'refused'],
    ['beyond the head', 7n, [a], 'refused'],
  ];

  it.each(cases)('answers %s', async (_name, expectedRevision, ids, answer) => {
    const stream = newStream();
    const events = (wanted: string[]) => wanted.map((id) => someEvent('Tested', 0, id));
    await client.appendToStream(stream, events([a, b, c]), { expectedRevision: NO_STREAM });
    await client.appendToStream(newStream(), someEvents(3));
    const written = await collect(client.readStream(stream));
    const repeat = client.appendToStream(stream, events(ids), { expectedRevision });
    if (answer === 'refused') {
      expect(await rejection(repeat)).toMatchObject({ actualVersion: 2n });
    } else {
      const position = written[Number(answer)]?.position;
      expect(await repeat).toMatchObject({ nextExpectedRevision: answer, position });
    }
    expect(await collect(client.readStream(stream))).toHaveLength(3);
  });

  it('writes a known id again at the head', async () => {
    const stream = newStream();
    const event = someEvent();
    await client.appendToStream(stream, event, { expectedRevision: NO_STREAM });
    await client.appendToStream(stream, event, { expectedRevision: 0n });
    expect(await collect(client.readStream(stream))).toHaveLength(2);
  });

  it('knows recent ids with any and with stream_exists', async () => {
    const stream = newStream();
    const events = someEvents(2);
    const first = await client.appendToStream(stream, events, { expectedRevision: ANY });
    for (const expectedRevision of [ANY, STREAM_EXISTS] as const) {
      expect(await client.appendToStream(stream, events, { expectedRevision })).toEqual(first);
    }
    expect(await collect(client.readStream(stream))).toHaveLength(2);
  });

  it('answers a repetition that arrives together with the original', async () => {
    const stream = newStream();
    const event = someEvent();
    const results = await Promise.all(
      [1, 2, 3].map(() => client.appendToStream(stream, event, { expectedRevision: NO_STREAM })),
    );
    expect(new Set(results.map(({ position }) => position?.commit)).size).toBe(1);
    expect(await collect(client.readStream(stream))).toHaveLength(1);
  });

  it('lets one of many writers with the same expectation win', async () => {
    const stream = newStream();
    const results = await Promise.allSettled(
      Array.from({ length: 20 }, () =>
        client.appendToStream(stream, someEvent(), { expectedRevision: NO_STREAM }),
      ),
    );
    expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    expect(await collect(client.readStream(stream))).toHaveLength(1);
  });
});

describe('the batch stream', () => {
  it('refuses an append that it cannot read, and continues with the others', async () => {
    const stream = newStream();
    const unreadable = [someEvent(), someEvent('Tested', 1, 'not a UUID')];
    const [refused, ...written] = await Promise.allSettled([
      client.appendToStream(stream, unreadable),
      ...Array.from({ length: 20 }, () => client.appendToStream(newStream(), someEvent())),
      client.appendToStream(stream, someEvent()),
    ]);
    expect(refused).toMatchObject({ status: 'rejected', reason: { type: 'unknown' } });
    expect(String((refused as PromiseRejectedResult).reason)).toContain('BadRequest');
    expect(written.map(({ status }) => status)).toEqual(written.map(() => 'fulfilled'));
    expect(await collect(client.readStream(stream))).toHaveLength(1);
  });

  it('puts an append together from many chunks', async () => {
    const stream = newStream();
    await client.appendToStream(stream, someEvents(3000), { batchAppendSize: 1024 });
    expect(await collect(client.readStream(stream))).toHaveLength(3000);
  });

  it('answers each of many appends at once with its own result', async () => {
    const streams = Array.from({ length: 2500 }, () => newStream());
    const results = await Promise.all(
      streams.map((stream, index) => client.appendToStream(stream, someEvents((index % 3) + 1))),
    );
    expect(results.map(({ nextExpectedRevision }) => Number(nextExpectedRevision))).toEqual(
      streams.map((_, index) => index % 3),
    );
    const positions = results.map(({ position }) => position?.commit);
    expect(new Set(positions).size).toBe(2500);
  });
});
