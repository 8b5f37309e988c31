import { EventStoreUnavailable } from '#domain/event-sourcing';
import { eventually } from '#testing';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmbeddedStore } from './embedded-store.js';
import { makeCa } from './self-made-ca.js';
import { collected, counted, itemsUntil, openStore, type OpenStore, ownPrefix } from './subject.js';

/** A store with TLS, under an authority made for this run, that accepts one user. */
const password = 'p@ss:w/ord?&=';
const user = `ops:${encodeURIComponent(password)}`;
let directory: string;
let server: EmbeddedStore;
let open: OpenStore | undefined;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pesapost-tls-'));
  const [ours, others] = [makeCa(), makeCa()];
  await writeFile(join(directory, 'ca.pem'), ours.ca);
  await writeFile(join(directory, 'other-ca.pem'), others.ca);
  await writeFile(join(directory, 'server.pem'), ours.certificate);
  await writeFile(join(directory, 'server.key'), ours.key);
  server = await EmbeddedStore.start({
    EMBEDDED_EVENTSTORE_TLS_CERT_FILE: join(directory, 'server.pem'),
    EMBEDDED_EVENTSTORE_TLS_KEY_FILE: join(directory, 'server.key'),
    EMBEDDED_EVENTSTORE_USER: `ops:${password}`,
  });
});

afterEach(async () => {
  await open?.store.dispose();
  open = undefined;
});

afterAll(async () => {
  await server.remove();
  await rm(directory, { recursive: true });
});

function url(credentials: string, ca = 'ca.pem', host = '127.0.0.1'): string {
  const file = encodeURIComponent(join(directory, ca));
  return `esdb://${credentials}${host}:${server.port}?tls=true&tlsCAFile=${file}`;
}

describe('a store behind TLS with a user', () => {
  it.each(['127.0.0.1', 'localhost'])('works in every call as %s', async (host) => {
    open = openStore(url(`${user}@`, 'ca.pem', host));
    const stream = `${ownPrefix()}a`;
    const { position } = await open.store.append(stream, 'no_stream', counted(3));
    expect(await open.store.readStream(stream)).toHaveLength(3);
    expect(await open.store.readLast(stream)).toMatchObject({ revision: 2n });
    expect(await open.store.head([stream])).toBe(position);
    expect(await collected(open.store.readAll('start', [stream]))).toHaveLength(3);
    const subscription = await open.store.subscribe('start', [stream]);
    await itemsUntil(subscription, ({ kind }) => kind === 'caught-up');
    expect(open.warnings).toEqual([]);
  });

  it('is back for the same adapter after it was killed', async () => {
    open = openStore(url(`${user}@`));
    const stream = `${ownPrefix()}a`;
    await open.store.append(stream, 'no_stream', counted(1));
    await server.kill();
    await server.start();
    await open.store.append(stream, 0n, counted(1, 1));
    expect(await open.store.readStream(stream)).toHaveLength(2);
  });

  it.each([
    ['a wrong password', 'ops:wrong@'],
    ['no user', ''],
  ])('refuses %s at once, and says what to check', async (_, credentials) => {
    open = openStore(url(credentials));
    const startedAt = performance.now();
    const refused = [
      open.store.append('s', 'no_stream', counted(1)),
      open.store.readStream('s'),
      open.store.head(['s']),
      open.store.subscribe('start', ['s']),
    ];
    for (const outcome of await Promise.allSettled(refused))
      expect(outcome).toMatchObject({
        status: 'rejected',
        reason: {
          name: 'EventStoreUnavailable',
          message: expect.stringContaining('access denied') as unknown,
        },
      });
    expect(performance.now() - startedAt).toBeLessThan(30_000);
  });

  it.each([
    ['if we do not know its authority', () => url(`${user}@`, 'other-ca.pem')],
    ['without TLS', () => `esdb://127.0.0.1:${server.port}?tls=false`],
  ])('is not spoken to %s', async (_, connectionString) => {
    open = openStore(connectionString(), { deadlineMs: 500 });
    await expect(open.store.append('s', 'no_stream', counted(1))).rejects.toThrow(
      EventStoreUnavailable,
    );
    await expect(open.store.readStream('s')).rejects.toThrow(EventStoreUnavailable);
  });

  it('names the authority that is missing, and the file, in one line', async () => {
    open = openStore(url(`${user}@`, 'other-ca.pem'), { deadlineMs: 3_000 });
    await expect(open.store.readStream('s')).rejects.toThrow(EventStoreUnavailable);
    const { warnings } = open;
    const said = await eventually(
      () => Promise.resolve(warnings.filter((line) => line.includes('PesaPost test authority'))),
      ({ length }) => length > 0,
    );
    expect(said).toEqual([
      `EVENTSTORE_URL: the certificate of 127.0.0.1:${server.port} was issued by "PesaPost test authority", which is not in ` +
        `${join(directory, 'other-ca.pem')} (tlsCAFile): put the certificate of its authority there`,
    ]);
  });

  it('names the wrong setting if the authority’s file is missing', () => {
    expect(() => openStore(url(`${user}@`, 'nowhere.pem'))).toThrow(
      /EVENTSTORE_URL cannot be used.*certificate file/,
    );
  });
});
