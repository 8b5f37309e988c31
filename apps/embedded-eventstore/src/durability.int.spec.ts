import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import {
  type AppendToStreamOptions,
  type EventStoreDBClient,
  NO_STREAM,
  StreamNotFoundError,
} from '@eventstore/db-client';
import streamsGrpc from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { ChannelCredentials, Metadata } from '@grpc/grpc-js';
import { afterEach, describe, expect, it } from '@jest/globals';
import { collect, newStream, rejection, someEvent, someEvents } from '../test/events.js';
import { cleanUp, freshDirectory, startStore, type StoreProcess } from '../test/store-process.js';
import { shared, streams } from './wire/generated.js';

const { StreamsClient } = streamsGrpc;
/** With credentials of its own, an append is a call of its own: Streams.Append. */
const credentials = { username: 'anybody', password: 'anything' };
const clients: EventStoreDBClient[] = [];

async function start(options: Parameters<typeof startStore>[0] = {}): Promise<StoreProcess> {
  const store = await startStore(options);
  clients.push(store.client);
  return store;
}

afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.dispose()));
  await cleanUp();
});

/** Appends one event each to new streams, `width` at once, until the store is gone. */
function appendUntilGone(
  client: EventStoreDBClient,
  width: number,
  options: AppendToStreamOptions = {},
) {
  const acknowledged = new Map<string, bigint>();
  const attempted = new Map<string, string>();
  const errors: unknown[] = [];
  let gone = false;
  const one = async () => {
    while (!gone) {
      const stream = newStream('load');
      const id = randomUUID();
      attempted.set(stream, id);
      try {
        const event = someEvent('Loaded', 0, id);
        const { position } = await client.appendToStream(stream, event, {
          expectedRevision: NO_STREAM,
          ...options,
        });
        acknowledged.set(stream, position?.commit ?? 0n);
      } catch (error) {
        errors.push(error);
        gone = true;
      }
    }
  };
  const ended = Promise.all(Array.from({ length: width }, one));
  return { acknowledged, attempted, errors, ended };
}

/** The messages of Append up to its first event. */
function unfinishedAppend(stream: string) {
  const identifier = new shared.StreamIdentifier();
  identifier.setStreamName(Buffer.from(stream));
  const options = new streams.AppendReq.Options();
  options.setStreamIdentifier(identifier);
  options.setNoStream(new shared.Empty());
  const id = new shared.UUID();
  id.setString(randomUUID());
  const event = new streams.AppendReq.ProposedMessage();
  event.setId(id);
  event.getMetadataMap().set('type', 'Unfinished').set('content-type', 'application/json');
  const messages = [new streams.AppendReq(), new streams.AppendReq()] as const;
  messages[0].setOptions(options);
  messages[1].setProposedMessage(event);
  return messages;
}

/** Waits until so many appends are acknowledged, or the appending is over. */
async function untilAcknowledged(
  { acknowledged, errors }: ReturnType<typeof appendUntilGone>,
  count: number,
): Promise<void> {
  while (acknowledged.size < count && errors.length === 0) await sleep(10);
}

describe('after a SIGKILL under load', () => {
  it('every acknowledged append is found again, and a retry of any attempt is answered', async () => {
    const directory = freshDirectory();
    const acknowledged = new Map<string, bigint>();
    const attempted = new Map<string, string>();
    for (let round = 0; round < 3; round++) {
      const store = await start({ directory });
      const load = appendUntilGone(store.client, 64);
      await untilAcknowledged(load, 100);
      await sleep(100 * round);
      await store.end('SIGKILL');
      await load.ended;
      for (const [stream, position] of load.acknowledged) acknowledged.set(stream, position);
      for (const [stream, id] of load.attempted) attempted.set(stream, id);
    }
    expect(acknowledged.size).toBeGreaterThan(50);
    const { client } = await start({ directory });
    const found = new Map<string, bigint | undefined>();
    for (const event of await collect(client.readAll()))
      found.set(event.streamId, event.position?.commit);
    for (const [stream, position] of acknowledged) expect(found.get(stream)).toBe(position);
    for (const [stream, id] of [...attempted].slice(-150)) {
      const event = someEvent('Loaded', 0, id);
      const { position } = await client.appendToStream(stream, event, {
        expectedRevision: NO_STREAM,
      });
      if (found.has(stream)) expect(position?.commit).toBe(found.get(stream));
      expect(await collect(client.readStream(stream))).toHaveLength(1);
    }
  });
});

describe('a restart', () => {
  it('keeps events, positions and the answers to repeated appends', async () => {
    const first = await start();
    const stream = newStream();
    const events = someEvents(3);
    const original = await first.client.appendToStream(stream, events, {
      expectedRevision: NO_STREAM,
    });
    await first.client.appendToStream(stream, someEvent(), { expectedRevision: 2n });
    const before = await collect(first.client.readAll());
    expect(await first.end('SIGTERM')).toBe(0);
    const { client } = await start({ directory: first.directory });
    expect(await collect(client.readAll())).toEqual(before);
    const again = await client.appendToStream(stream, events, { expectedRevision: NO_STREAM });
    expect(again).toEqual(original);
    const other = client.appendToStream(stream, someEvent(), { expectedRevision: NO_STREAM });
    expect(await rejection(other)).toMatchObject({ actualVersion: 3n });
    const { position } = await client.appendToStream(stream, someEvent(), { expectedRevision: 3n });
    expect(position?.commit).toBeGreaterThan(before.at(-1)?.position?.commit ?? 0n);
  });

  it('adds CLOCK_OFFSET to the time of events', async () => {
    const { client } = await start({ env: { CLOCK_OFFSET: '48h' } });
    const stream = newStream();
    await client.appendToStream(stream, someEvent());
    const [event] = await collect(client.readStream(stream));
    const ahead = (event?.created.getTime() ?? 0) - Date.now();
    expect(Math.abs(ahead - 48 * 3_600_000)).toBeLessThan(60_000);
  });
});

describe('stopping', () => {
  it('by SIGTERM ends reads with CANCELLED, appends with UNAVAILABLE, and the process with 0', async () => {
    const store = await start();
    const { client } = store;
    await client.appendToStream(newStream(), someEvent());
    const subscription = client.subscribeToAll();
    const ended = new Promise<unknown>((resolve) => subscription.on('error', resolve));
    await new Promise<void>((resolve) => subscription.on('caughtUp', resolve).resume());
    const load = appendUntilGone(client, 16);
    await untilAcknowledged(load, 1);
    expect(await store.end('SIGTERM')).toBe(0);
    expect(await ended).toMatchObject({ code: 1 });
    await load.ended;
    const { acknowledged, errors } = load;
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) expect(error).toMatchObject({ code: 14 });
    const { client: after } = await start({ directory: store.directory });
    const found = new Set((await collect(after.readAll())).map(({ streamId }) => streamId));
    for (const stream of acknowledged.keys()) expect(found.has(stream)).toBe(true);
  });

  it('answers each classic append under load: it is durable, or it is UNAVAILABLE', async () => {
    const directory = freshDirectory();
    const acknowledged: string[] = [];
    for (let round = 0; round < 3; round++) {
      const store = await start({ directory });
      const load = appendUntilGone(store.client, 32, { credentials });
      await untilAcknowledged(load, 50 + 20 * round);
      expect(await store.end('SIGTERM')).toBe(0);
      await load.ended;
      acknowledged.push(...load.acknowledged.keys());
      expect(load.errors).toHaveLength(32);
      for (const error of load.errors) expect(error).toMatchObject({ type: 'unavailable' });
    }
    const { client } = await start({ directory });
    const found = new Set((await collect(client.readAll())).map(({ streamId }) => streamId));
    expect(acknowledged.filter((stream) => !found.has(stream))).toEqual([]);
  });

  it('answers UNAVAILABLE to a classic append whose events are still arriving, and writes none', async () => {
    const store = await start();
    const stream = newStream();
    const grpc = new StreamsClient(`127.0.0.1:${store.port}`, ChannelCredentials.createInsecure());
    const answered = new Promise<unknown>((resolve) => {
      const sink = grpc.append(new Metadata(), (error) => {
        resolve(error);
      });
      for (const message of unfinishedAppend(stream)) sink.write(message);
    });
    await store.client.appendToStream(newStream(), someEvent());
    expect(await store.end('SIGTERM')).toBe(0);
    expect(await answered).toMatchObject({ code: 14, details: 'Server is shutting down' });
    grpc.close();
    const { client } = await start({ directory: store.directory });
    expect(await rejection(collect(client.readStream(stream)))).toBeInstanceOf(StreamNotFoundError);
  });

  it('follows when the parent process is gone', async () => {
    const store = await start({ ipc: true });
    const exited = new Promise((resolve) => store.child.once('exit', resolve));
    const before = Date.now();
    store.child.disconnect();
    expect(await exited).toBe(0);
    expect(Date.now() - before).toBeLessThan(60_000);
  });
});

describe('the data directory', () => {
  it('belongs to one process: a second is refused in one line', async () => {
    const { directory, client } = await start();
    const error = await rejection(startStore({ directory }));
    expect(String(error)).toMatch(
      /^Error: the store did not start: .* is in use by another event store \(process \d+\).*\n$/,
    );
    await client.appendToStream(newStream(), someEvent());
  });

  it('passes from a dead process to only one of several new ones', async () => {
    const first = await start();
    await first.end('SIGKILL');
    const starts = await Promise.allSettled(
      [1, 2, 3].map(() => start({ directory: first.directory })),
    );
    expect(starts.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
  });

  it('is refused with one line if it has another format', async () => {
    const directory = freshDirectory();
    writeFileSync(join(directory, 'format'), 'pesapost-embedded-eventstore 999\n');
    const error = await rejection(startStore({ directory }));
    expect(String(error)).toMatch(/was written in format 999, this release reads format \d+.*\n$/);
  });

  it('is refused with one line if it contains other files', async () => {
    const directory = freshDirectory();
    writeFileSync(join(directory, 'thesis.odt'), 'years of work');
    const error = await rejection(startStore({ directory }));
    expect(String(error)).toMatch(/holds other files \(thesis\.odt\): name an empty directory\n$/);
  });
});

describe('a torn last write', () => {
  it('is repaired at the start: the log ends before it and continues from there', async () => {
    const store = await start();
    const stream = newStream();
    for (let at = 0; at < 20; at++) await store.client.appendToStream(stream, someEvents(5));
    const path = join(store.directory, 'log', 'data.mdb');
    await store.end('SIGKILL');
    const before = readFileSync(path);
    const again = await start({ directory: store.directory });
    await again.client.appendToStream(stream, someEvents(5));
    await again.end('SIGKILL');
    const torn = readFileSync(path);
    const changed = Array.from({ length: before.length / 4096 - 2 }, (_, at) => at + 2).find(
      (page) =>
        !torn
          .subarray(page * 4096, page * 4096 + 4096)
          .equals(before.subarray(page * 4096, page * 4096 + 4096)),
    );
    torn.fill(0, (changed ?? 0) * 4096, (changed ?? 0) * 4096 + 4096);
    writeFileSync(path, torn);
    const repaired = await start({ directory: store.directory });
    expect(repaired.lines[0]).toMatchObject({ level: 'warn', repair: 'rolled-back' });
    expect(await collect(repaired.client.readStream(stream))).toHaveLength(100);
    await repaired.client.appendToStream(stream, someEvents(5), { expectedRevision: 99n });
    expect(await collect(repaired.client.readStream(stream))).toHaveLength(105);
  });
});

describe('a full disk', () => {
  /** Limits files to 2 MiB, so that writes fail as on a full disk without filling one. The limit can be raised again. */
  const limited = ['bash', '-c', 'trap "" XFSZ; ulimit -S -f 2048; exec "$@"', 'limited'];
  const makeRoom = ({ child }: StoreProcess) =>
    promisify(execFile)('prlimit', [`--pid=${child.pid ?? 0}`, '--fsize=unlimited:']);

  it('refuses appends with the reason, keeps all that was acknowledged, and takes more once there is room', async () => {
    const store = await start({ wrapper: limited });
    const acknowledged: string[] = [];
    let refused: unknown;
    while (refused === undefined && acknowledged.length < 500) {
      const stream = newStream();
      const data = { text: 'x'.repeat(20_000) };
      await store.client
        .appendToStream(stream, { ...someEvent(), data })
        .then(() => acknowledged.push(stream))
        .catch((error: unknown) => (refused = error));
    }
    expect(String(refused)).toContain('could not write to its disk');
    const readable = async (client: EventStoreDBClient) => {
      const found = new Set((await collect(client.readAll())).map(({ streamId }) => streamId));
      return acknowledged.filter((stream) => found.has(stream)).length;
    };
    expect(await readable(store.client)).toBe(acknowledged.length);
    const large = { ...someEvent(), data: { text: 'x'.repeat(100_000) } };
    const single = store.client.appendToStream(newStream(), large, { credentials });
    expect(await rejection(single)).toMatchObject({ code: 8 });
    const said = () =>
      store.lines.filter(({ msg }) => String(msg).includes('disk takes')).map(({ msg }) => msg);
    const todo = `make room for ${store.directory}, and the store goes on by itself`;
    const full = `appends are refused: the disk takes no writes; ${todo}`;
    while (said().length === 0) await sleep(20);
    expect(said()).toEqual([full]);
    await makeRoom(store);
    const stream = newStream();
    await store.client.appendToStream(stream, large);
    acknowledged.push(stream);
    while (said().length === 1) await sleep(20);
    expect(said()).toEqual([full, 'the disk takes writes again']);
    expect(await store.end('SIGTERM')).toBe(0);
    const roomy = await start({ directory: store.directory });
    expect(await readable(roomy.client)).toBe(acknowledged.length);
    await roomy.client.appendToStream(newStream(), someEvents(100));
  });
});
