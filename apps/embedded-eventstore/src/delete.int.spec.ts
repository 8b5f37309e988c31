import {
  ANY,
  BACKWARDS,
  END,
  type EventStoreDBClient,
  NO_STREAM,
  STREAM_EXISTS,
  StreamDeletedError,
  StreamNotFoundError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { describe, expect, it } from '@jest/globals';
import { collect, newStream, rejection, someEvent, someEvents } from '../test/events.js';
import { startStore, type StoreProcess, useStore } from '../test/store-process.js';

let store: StoreProcess;
let client: EventStoreDBClient;

useStore((started) => {
  store = started;
  client = store.client;
});

const revisions = async (stream: string) =>
  (await collect(client.readStream(stream))).map(({ revision }) => Number(revision));

describe('a soft-deleted stream', () => {
  it('reads as missing, and begins anew at the next revision', async () => {
    const stream = newStream();
    const original = someEvents(3);
    await client.appendToStream(stream, original);
    await client.deleteStream(stream, { expectedRevision: 2n });
    expect(await rejection(revisions(stream))).toBeInstanceOf(StreamNotFoundError);
    const existing = client.appendToStream(stream, someEvent(), {
      expectedRevision: STREAM_EXISTS,
    });
    expect(await rejection(existing)).toBeInstanceOf(StreamDeletedError);
    const anew = await client.appendToStream(stream, someEvents(2), {
      expectedRevision: NO_STREAM,
    });
    expect(anew.nextExpectedRevision).toBe(4n);
    expect(await revisions(stream)).toEqual([3, 4]);
    const backwards = client.readStream(stream, { direction: BACKWARDS, fromRevision: END });
    expect(await collect(backwards)).toHaveLength(2);
  });

  it.each([[ANY], [2n]] as const)(
    'continues its numbering for an append that expects %s',
    async (expected) => {
      const stream = newStream();
      await client.appendToStream(stream, someEvents(3));
      await client.deleteStream(stream);
      const { nextExpectedRevision } = await client.appendToStream(stream, someEvent(), {
        expectedRevision: expected,
      });
      expect(nextExpectedRevision).toBe(3n);
      expect(await revisions(stream)).toEqual([3]);
    },
  );

  it('returns as an empty stream if an append without events, or metadata, end the deletion', async () => {
    const appended = newStream();
    const described = newStream();
    for (const stream of [appended, described]) {
      await client.appendToStream(stream, someEvents(2));
      await client.deleteStream(stream);
    }
    await client.appendToStream(appended, [], { expectedRevision: 1n });
    await client.setStreamMetadata(described, { maxCount: 5 });
    for (const stream of [appended, described]) {
      expect(await revisions(stream)).toEqual([]);
      await client.appendToStream(stream, someEvent(), { expectedRevision: 1n });
      expect(await revisions(stream)).toEqual([2]);
    }
    const { metadata } = await client.getStreamMetadata(described);
    expect(metadata).toEqual({ maxCount: 5, truncateBefore: 2 });
  });

  it('gives a repeated append its revision, but no position, because the event cannot be read', async () => {
    const stream = newStream();
    const event = someEvent();
    await client.appendToStream(stream, event, { expectedRevision: NO_STREAM });
    await client.deleteStream(stream);
    const again = await client.appendToStream(stream, event, { expectedRevision: NO_STREAM });
    expect(again).toMatchObject({ nextExpectedRevision: 0n, position: undefined });
  });

  it('can be deleted again, and adds one event to $all for each deletion', async () => {
    const stream = newStream();
    await client.appendToStream(stream, someEvent());
    await client.setStreamMetadata(stream, { maxCount: 3 });
    const first = await client.deleteStream(stream);
    await client.deleteStream(stream, { expectedRevision: NO_STREAM });
    const [last, before] = await collect(
      client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 2 }),
    );
    for (const event of [last, before]) {
      expect(event).toMatchObject({ type: '$metadata', streamId: `$$${stream}`, isJson: true });
    }
    expect(before?.position).toEqual(first.position);
    expect(before?.revision).toBe(1n);
    expect(Object.keys(before?.data as object)).toEqual(['$tb']);
  });

  it('stays deleted over a restart, and its events stay in $all', async () => {
    const stream = newStream();
    await client.appendToStream(stream, someEvent('Kept'));
    await client.deleteStream(stream);
    await client.dispose();
    expect(await store.end('SIGTERM')).toBe(0);
    store = await startStore({ directory: store.directory });
    client = store.client;
    expect(await rejection(revisions(stream))).toBeInstanceOf(StreamNotFoundError);
    const all = await collect(client.readAll());
    expect(all.filter(({ streamId }) => streamId === stream)).toHaveLength(1);
  });

  it('a deletion is refused if the expectation is wrong or there is nothing to delete', async () => {
    const stream = newStream();
    await client.appendToStream(stream, someEvents(4));
    const wrong = await rejection(client.deleteStream(stream, { expectedRevision: 2n }));
    expect(wrong).toBeInstanceOf(WrongExpectedVersionError);
    expect(wrong).toMatchObject({ streamName: stream, expectedVersion: 2n, actualVersion: 3n });
    expect(String(wrong)).toContain(
      `Delete failed due to WrongExpectedVersion. Stream: ${stream}, Expected version: 2, Actual version: 3`,
    );
    const none = await rejection(client.deleteStream(stream, { expectedRevision: NO_STREAM }));
    expect(none).toBeInstanceOf(WrongExpectedVersionError);
    const missing = await rejection(client.deleteStream(newStream()));
    expect(missing).toBeInstanceOf(WrongExpectedVersionError);
    expect(missing).toMatchObject({ expectedVersion: -2n, actualVersion: -1n });
  });

  it('may have existed by its metadata alone', async () => {
    const stream = newStream();
    await client.setStreamMetadata(stream, { cacheControl: 10 });
    expect(await client.deleteStream(stream, { expectedRevision: NO_STREAM })).toBeDefined();
  });
});

describe('a tombstoned stream', () => {
  it('is gone for readers and writers, for ever', async () => {
    const stream = newStream('ñandú');
    await client.appendToStream(stream, someEvents(2));
    const wrong = await rejection(client.tombstoneStream(stream, { expectedRevision: 5n }));
    expect(wrong).toBeInstanceOf(WrongExpectedVersionError);
    await client.tombstoneStream(stream, { expectedRevision: 1n });
    expect(await rejection(revisions(stream))).toBeInstanceOf(StreamDeletedError);
    const writes = [
      () => client.appendToStream(stream, someEvent(), { expectedRevision: NO_STREAM }),
      () => client.deleteStream(stream),
      () => client.tombstoneStream(stream),
      () => client.setStreamMetadata(stream, {}),
    ];
    for (const write of writes) expect(await rejection(write())).toBeInstanceOf(StreamDeletedError);
  });

  it('ends with an event that has the largest number and no data', async () => {
    const stream = newStream();
    await client.appendToStream(stream, someEvent());
    const { position } = await client.tombstoneStream(stream);
    const [last] = await collect(
      client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1 }),
    );
    expect(last).toMatchObject({ type: '$streamDeleted', streamId: stream, isJson: false });
    expect(last?.revision).toBe(2n ** 63n - 1n);
    expect(last?.data).toHaveLength(0);
    expect(last?.position).toEqual(position);
  });

  it('takes its metadata with it', async () => {
    const stream = newStream();
    await client.setStreamMetadata(stream, { maxCount: 3 });
    await client.tombstoneStream(stream);
    const error = await rejection(client.getStreamMetadata(stream));
    expect(error).toBeInstanceOf(StreamDeletedError);
    expect(error).toMatchObject({ streamName: `$$${stream}` });
  });

  it('can be one that never was', async () => {
    const stream = newStream();
    await client.tombstoneStream(stream, { expectedRevision: NO_STREAM });
    const error = await rejection(revisions(stream));
    expect(error).toBeInstanceOf(StreamDeletedError);
    expect(error).toMatchObject({ streamName: stream });
  });
});

describe('stream metadata', () => {
  it('is empty if none was set', async () => {
    const stream = newStream();
    expect(await client.getStreamMetadata(stream)).toEqual({ streamName: stream });
  });

  it('comes back as it was set, the latest wins', async () => {
    const stream = newStream();
    const metadata = {
      maxAge: 2,
      maxCount: 12,
      truncateBefore: 1,
      cacheControl: 15,
      acl: { readRoles: ['admin'], writeRoles: ['admin'] },
      turkey: '🦃',
    };
    await client.setStreamMetadata(stream, { maxCount: 1 });
    await client.setStreamMetadata(stream, metadata);
    expect((await client.getStreamMetadata(stream)).metadata).toEqual(metadata);
  });

  it('can truncate the beginning of a stream', async () => {
    const stream = newStream();
    await client.appendToStream(stream, someEvents(5));
    await client.setStreamMetadata(stream, { truncateBefore: 3 });
    expect(await revisions(stream)).toEqual([3, 4]);
    const backwards = client.readStream(stream, { direction: BACKWARDS, fromRevision: END });
    expect((await collect(backwards)).map(({ revision }) => Number(revision))).toEqual([4, 3]);
  });

  it('can limit a stream to its newest events, those to come included', async () => {
    const stream = newStream();
    await client.appendToStream(stream, someEvents(5));
    await client.setStreamMetadata(stream, { maxCount: 2 });
    expect(await revisions(stream)).toEqual([3, 4]);
    await client.appendToStream(stream, someEvent());
    expect(await revisions(stream)).toEqual([4, 5]);
    const backwards = client.readStream(stream, { direction: BACKWARDS, fromRevision: END });
    expect((await collect(backwards)).map(({ revision }) => Number(revision))).toEqual([5, 4]);
  });

  it('is lost by a deletion', async () => {
    const stream = newStream();
    await client.appendToStream(stream, someEvent());
    await client.setStreamMetadata(stream, { maxCount: 12 });
    await client.deleteStream(stream);
    await client.appendToStream(stream, someEvent(), { expectedRevision: NO_STREAM });
    const { metadata } = await client.getStreamMetadata(stream);
    expect(metadata).toEqual({ truncateBefore: 1 });
  });

  it('is read as its newest event only', async () => {
    const stream = newStream();
    for (const maxCount of [1, 2, 3]) await client.setStreamMetadata(stream, { maxCount });
    expect(await revisions(`$$${stream}`)).toEqual([2]);
  });

  it('makes a stream exist for a writer who expects that', async () => {
    const stream = newStream();
    await client.setStreamMetadata(stream, { maxCount: 3 });
    await client.appendToStream(stream, someEvent(), { expectedRevision: STREAM_EXISTS });
    expect(await revisions(stream)).toEqual([0]);
  });
});
