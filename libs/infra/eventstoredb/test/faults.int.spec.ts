import { EventStoreUnavailable, WrongExpectedRevision } from '#domain/event-sourcing';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { EmbeddedStore } from './embedded-store.js';
import {
  collected,
  counted,
  inShort,
  itemsUntil,
  openStore,
  type OpenStore,
  ownPrefix,
} from './subject.js';

/** Each test has its own store, a real process that is killed, ended and frozen. */
let server: EmbeddedStore;
let open: OpenStore;
let stream: string;

/** Longer than any pause of a busy machine. */
const longMs = 60_000;
/** The deadline of calls that a test expects to fail. It is as long as by default: a server that is back is in time. */
const shortMs = 5_000;

beforeEach(async () => {
  server = await EmbeddedStore.start();
  open = openStore(server.url);
  stream = `${ownPrefix()}a`;
});

/** Opens the adapter with this deadline instead of a long one. */
async function reopen(deadlineMs: number): Promise<void> {
  await open.store.dispose();
  open = openStore(server.url, { deadlineMs });
}

afterEach(async () => {
  await open.store.dispose();
  expect(open.fatal).toEqual([]);
  await server.remove();
});

/** Expects the error within the deadline, plus the time that a busy machine takes. */
async function unavailableInTime(call: Promise<unknown>): Promise<void> {
  const startedAt = performance.now();
  const error = await call.catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(EventStoreUnavailable);
  expect((error as Error).message).not.toMatch(/127\.0\.0\.1/);
  expect(performance.now() - startedAt).toBeLessThan(longMs);
}

function startAppending(prefix: string, inFlight: number) {
  const script = fileURLToPath(new URL('appending-process.ts', import.meta.url));
  const child: ChildProcess = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', script, server.url, prefix, String(inFlight)],
    { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, NODE_OPTIONS: '' } },
  );
  const acknowledged = new Map<string, bigint>();
  if (child.stdout)
    createInterface({ input: child.stdout }).on('line', (line) => {
      const [name = '', position = ''] = line.split(' ');
      acknowledged.set(name, BigInt(position));
    });
  return {
    acknowledged,
    /** Ends the appending; the process then ends by itself, since nothing is left open. */
    async end(): Promise<unknown> {
      const exited = once(child, 'exit');
      child.stdin?.end();
      const [code] = (await exited) as [unknown];
      return code;
    },
  };
}

async function until(condition: () => boolean): Promise<void> {
  const endsAt = Date.now() + longMs;
  while (!condition()) {
    if (Date.now() > endsAt) throw new Error('what the test waits for did not come');
    await sleep(20);
  }
}

describe('a server killed under load', () => {
  it('costs no acknowledged append, writes none twice and leaves the process whole', async () => {
    const prefix = ownPrefix();
    const load = startAppending(prefix, 300);
    for (let kill = 1; kill <= 3; kill += 1) {
      const before = load.acknowledged.size;
      await until(() => load.acknowledged.size > before + 300);
      await server.kill();
      await server.start();
    }
    const before = load.acknowledged.size;
    await until(() => load.acknowledged.size > before + 300);
    expect(await load.end()).toBe(0);

    const events = await collected(open.store.readAll('start', [prefix]));
    const written = new Map(events.map((event) => [event.stream, event.position]));
    expect(written.size).toBe(events.length);
    for (const [name, position] of load.acknowledged) expect(written.get(name)).toBe(position);
  });
});

describe('a server that is down', () => {
  it('is unavailable within the deadline for every call, and back without a new adapter', async () => {
    await reopen(shortMs);
    await open.store.append(stream, 'no_stream', counted(1));
    await server.kill();
    await Promise.all([
      unavailableInTime(open.store.append(stream, 0n, counted(1, 1))),
      unavailableInTime(open.store.readStream(stream)),
      unavailableInTime(open.store.readLast(stream)),
      unavailableInTime(open.store.head([stream])),
      unavailableInTime(open.store.subscribe('start', [stream])),
      unavailableInTime(collected(open.store.readAll('start', [stream]))),
    ]);
    await server.start();
    await open.store.append(stream, 0n, counted(1, 1));
    expect(await open.store.readStream(stream)).toHaveLength(2);
  });

  it('is waited for within the deadline, so that a short absence is no failure', async () => {
    await open.store.append(stream, 'no_stream', counted(1));
    await server.kill();
    const append = open.store.append(stream, 0n, counted(1, 1));
    const read = open.store.readLast(stream);
    await sleep(100);
    await server.start();
    await expect(append).resolves.toMatchObject({ revision: 1n });
    await expect(read).resolves.toBeDefined();
  });

  it('before the first call is no different', async () => {
    await reopen(shortMs);
    await server.kill();
    await Promise.all([
      unavailableInTime(open.store.append(stream, 'no_stream', counted(1))),
      unavailableInTime(open.store.readStream(stream)),
    ]);
    await server.start();
    await open.store.append(stream, 'no_stream', counted(1));
  });
});

describe('a server that is frozen', () => {
  it('is unavailable within the deadline for every call, and back when it thaws', async () => {
    await reopen(shortMs);
    await open.store.append(stream, 'no_stream', counted(1));
    server.freeze();
    await Promise.all([
      unavailableInTime(open.store.append(stream, 0n, counted(1, 1))),
      unavailableInTime(open.store.readStream(stream)),
      unavailableInTime(open.store.head([stream])),
      unavailableInTime(open.store.subscribe('start', [stream])),
    ]);
    await unavailableInTime(open.store.append(stream, 0n, counted(1, 1)));
    server.thaw();
    // An abandoned append may still be written, so read the head again until it no longer changes.
    const appendAtHead = async () => {
      const last = await open.store.readLast(stream);
      return open.store.append(stream, last?.revision ?? 0n, counted(1, 2));
    };
    const lostRace = (error: unknown) => {
      if (!(error instanceof WrongExpectedRevision)) throw error;
    };
    await ((await appendAtHead().catch(lostRace)) ?? appendAtHead());
    expect((await open.store.readStream(stream)).length).toBeLessThanOrEqual(4);
  });

  it('writes the append once if it thaws in time', async () => {
    // Its first attempt has four seconds of it.
    await reopen(10_000);
    await open.store.append(stream, 'no_stream', counted(1));
    server.freeze();
    const append = open.store.append(stream, 0n, counted(2, 1));
    await sleep(4_500);
    server.thaw();
    await expect(append).resolves.toMatchObject({ revision: 2n });
    expect(await open.store.readStream(stream)).toHaveLength(3);
  });

  it('does not keep the adapter from being disposed of', async () => {
    await open.store.append(stream, 'no_stream', counted(1));
    await open.store.subscribe('start', [stream]);
    server.freeze();
    const append = open.store.append(stream, 0n, counted(1, 1)).catch((error: unknown) => error);
    const startedAt = performance.now();
    await open.store.dispose();
    expect(performance.now() - startedAt).toBeLessThan(longMs / 2);
    expect(await append).toBeInstanceOf(EventStoreUnavailable);
  });
});

describe('a subscription', () => {
  it.each(['kill', 'terminate'] as const)(
    'is dropped with an error if its server ends (%s), and continues from its last position',
    async (end) => {
      await open.store.append(stream, 'no_stream', counted(5));
      const subscription = await open.store.subscribe('start', [stream]);
      let last = 0n;
      const following = (async () => {
        for await (const item of subscription)
          if (item.kind === 'event') last = item.event.position;
      })().catch((error: unknown) => error);
      await until(() => last > 0n);
      await sleep(50);
      await server[end]();
      expect(await following).toBeInstanceOf(EventStoreUnavailable);
      await server.start();
      await open.store.append(stream, 4n, counted(2, 5));
      const resumed = await open.store.subscribe(last, [stream]);
      const items = await itemsUntil(resumed, ({ kind }) => kind === 'caught-up');
      expect(items.filter(({ kind }) => kind === 'event').map(inShort)).toEqual(['a:5', 'a:6']);
    },
  );

  it('fails at its first read if its server ended before that', async () => {
    await open.store.append(stream, 'no_stream', counted(5));
    const subscription = await open.store.subscribe('start', [stream]);
    await server.kill();
    await sleep(200);
    await expect(itemsUntil(subscription, () => false)).rejects.toThrow(EventStoreUnavailable);
    await server.start();
  });
});
