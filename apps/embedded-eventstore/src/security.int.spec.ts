import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AccessDeniedError, EventStoreDBClient } from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { collect, newStream, rejection, someEvent } from '../test/events.js';
import { cleanUp, startStore, type StoreProcess } from '../test/store-process.js';

/** Made for these tests only, and valid for localhost until 2126. The authority's own key was thrown away. */
const tls = join(import.meta.dirname, '../test/tls');
const CA = join(tls, 'ca.pem');
let store: StoreProcess;
const clients: EventStoreDBClient[] = [];

function connectTls(credentials: string, query = `tls=true&tlsCAFile=${CA}`): EventStoreDBClient {
  const url = `esdb://${credentials}localhost:${store.port.toString()}?${query}`;
  const client = EventStoreDBClient.connectionString(url);
  clients.push(client);
  return client;
}

beforeAll(async () => {
  store = await startStore({
    env: {
      EMBEDDED_EVENTSTORE_TLS_CERT_FILE: join(tls, 'server.pem'),
      EMBEDDED_EVENTSTORE_TLS_KEY_FILE: join(tls, 'server.key.pem'),
      EMBEDDED_EVENTSTORE_USER: 'ops:s3cret',
      EMBEDDED_EVENTSTORE_ORDINARY_USER: 'pesapost:pl4in',
    },
  });
});

afterAll(async () => {
  await Promise.all([store.client, ...clients].map((client) => client.dispose()));
  await cleanUp();
});

describe('with TLS and a user', () => {
  it('serves a client that trusts its CA and knows the password', async () => {
    const client = connectTls('ops:s3cret@');
    const stream = newStream();
    await client.appendToStream(stream, someEvent());
    expect(await collect(client.readStream(stream))).toHaveLength(1);
  });

  it('denies access without credentials, for appends, reads and deletions', async () => {
    const client = connectTls('');
    const attempts = [
      () => client.appendToStream(newStream(), someEvent()),
      () => collect(client.readAll()),
      () => client.deleteStream(newStream()),
    ];
    for (const attempt of attempts) {
      expect(await rejection(attempt())).toBeInstanceOf(AccessDeniedError);
    }
  });

  it('denies access with wrong credentials, by either way of appending', async () => {
    const client = connectTls('ops:wrong@');
    expect(await rejection(client.appendToStream(newStream(), someEvent()))).toMatchObject({
      code: 16,
    });
    const credentials = { username: 'ops', password: 'worse' };
    const single = client.appendToStream(newStream(), someEvent(), { credentials });
    expect(await rejection(single)).toMatchObject({ code: 16 });
  });

  it('is refused by a client that trusts other CAs', async () => {
    const client = connectTls('ops:s3cret@', 'tls=true&defaultDeadline=2000');
    expect(await rejection(client.appendToStream(newStream(), someEvent()))).toBeDefined();
  });

  it('lets an ordinary user read $all only once the metadata of $all names it', async () => {
    const ordinary = connectTls('pesapost:pl4in@');
    const stream = newStream();
    await ordinary.appendToStream(stream, someEvent());
    expect(await collect(ordinary.readStream(stream))).toHaveLength(1);
    expect(await rejection(collect(ordinary.readAll()))).toBeInstanceOf(AccessDeniedError);
    const admin = connectTls('ops:s3cret@');
    await admin.setStreamMetadata('$all', { acl: { readRoles: ['$admins', 'pesapost'] } });
    expect((await collect(ordinary.readAll())).length).toBeGreaterThan(0);
  });

  it('writes no password to its log', () => {
    const key = readFileSync(join(tls, 'server.key.pem'), 'utf8').slice(60, 100);
    const written = JSON.stringify(store.lines);
    expect(written).not.toContain('s3cret');
    expect(written).not.toContain(key);
  });
});

it('a server that is discovered by gossip names itself as the leader', async () => {
  const plain = await startStore();
  const host = `127.0.0.1:${plain.port.toString()}`;
  const client = EventStoreDBClient.connectionString(`esdb://${host},${host}?tls=false`);
  clients.push(client, plain.client);
  const stream = newStream();
  await client.appendToStream(stream, someEvent(), { requiresLeader: true });
  expect(await collect(client.readStream(stream, { requiresLeader: true }))).toHaveLength(1);
});
