import { DependencyUnavailable } from '#domain/kernel';
import { createLogger } from '#infra/runtime';
import { throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Database } from './index.js';

/** Parameters that PgBouncer accepts in a connection's first message, unless `ignore_startup_parameters` names more. */
const known = new Set([
  ...['user', 'database', 'replication', 'application_name', 'client_encoding'],
  ...['datestyle', 'timezone', 'standard_conforming_strings'],
]);
const logger = createLogger({ app: 'spec', level: 'silent' });
const sockets = new Set<Socket>();
let own: ThrowAwayDatabase;
let pooler: Server;
let url: URL;

beforeAll(async () => {
  own = await throwAwayDatabase();
  url = new URL(own.url);
  const { hostname, port } = url;
  pooler = createServer((client) => {
    const server = connect(Number(port || 5432), hostname);
    for (const socket of [client, server]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
    }
    client.once('data', (first) => {
      const unknown = parametersOf(first).find((name) => !known.has(name));
      if (unknown !== undefined) client.end(refusalOf(unknown));
      else {
        server.write(first);
        client.pipe(server).pipe(client);
      }
    });
  });
  await new Promise<void>((resolve) => pooler.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  pooler.close();
  await own.drop();
});

/** The names in a startup message: its length, the protocol's version, then names and values, each followed by a null. */
function parametersOf(startup: Buffer): readonly string[] {
  const words = startup.subarray(8).toString().split('\0');
  return words.filter((word, index) => index % 2 === 0 && word !== '');
}

function refusalOf(parameter: string): Buffer {
  const fields = `SFATAL\0C08P01\0Munsupported startup parameter: ${parameter}\0\0`;
  const head = Buffer.from('E\0\0\0\0');
  head.writeInt32BE(4 + Buffer.byteLength(fields), 1);
  return Buffer.concat([head, Buffer.from(fields)]);
}

const show = `
  select current_setting('search_path') as path, current_setting('statement_timeout') as statement,
    current_setting('idle_in_transaction_session_timeout') as idle,
    current_setting('pesapost.clock_offset_ms') as offset`;

async function sessionBehind(address: URL): Promise<unknown> {
  const database = new Database({
    url: address.href,
    app: 'spec',
    logger,
    searchPath: ['views_9', 'public'],
    clockOffsetMs: -60_000,
    statementTimeoutMs: 70_000,
    connectTimeoutMs: 60_000,
  });
  const heard: (string | undefined)[] = [];
  try {
    await database.listen('spec', (payload) => heard.push(payload));
    const [session] = await database.query(show);
    return session;
  } finally {
    await database.close();
  }
}

const session = { path: 'views_9,public', statement: '70s', idle: '5s', offset: '-60000' };

it('a pooler that knows no startup parameters of ours is no obstacle, and what they said holds', async () => {
  const behind = new URL(url);
  behind.host = `127.0.0.1:${(pooler.address() as AddressInfo).port}`;
  expect(await sessionBehind(behind)).toEqual(session);
});

it('options that the URL has take nothing of it away', async () => {
  const withOptions = new URL(url);
  withOptions.searchParams.set('options', '-c work_mem=8MB');
  withOptions.searchParams.set('statement_timeout', '0');
  expect(await sessionBehind(withOptions)).toEqual(session);
});

describe('behind a pooler that gives each transaction another session', () => {
  // `set` writes a list with spaces.
  const local = { ...session, path: 'views_9, public' };
  let pooled: Database;
  beforeAll(() => {
    pooled = new Database({
      url: own.url,
      directUrl: own.url,
      app: 'spec',
      logger,
      poolSize: 1,
      searchPath: ['views_9', 'public'],
      clockOffsetMs: -60_000,
      statementTimeoutMs: 70_000,
      connectTimeoutMs: 60_000,
    });
  });
  afterAll(() => pooled.close());

  it('a statement and a transaction have their settings', async () => {
    expect(await pooled.query(show)).toEqual([local]);
    expect(await pooled.transaction((transaction) => transaction.query(show))).toEqual([local]);
    const longer = { statementTimeoutMs: 80_000 };
    expect(await pooled.transaction((transaction) => transaction.query(show), longer)).toEqual([
      { ...local, statement: '80s' },
    ]);
  });

  it('the session keeps no setting, and no prepared statement', async () => {
    const left = await pooled.transaction(async (transaction) => {
      await transaction.query('commit');
      return transaction.query(show);
    });
    expect(left).toEqual([{ path: '"$user", public', statement: '0', idle: '0', offset: '' }]);
    const text = 'select count(*)::int as prepared from pg_prepared_statements where $1';
    expect(await pooled.query({ name: 'prepared', text }, [true])).toEqual([{ prepared: 0 }]);
    const named = { name: 'prepared-within', text };
    expect(await pooled.transaction((transaction) => transaction.query(named, [true]))).toEqual([
      { prepared: 0 },
    ]);
  });

  it('a statement that fails is the reason, and leaves a connection that works', async () => {
    await expect(pooled.query('select 1 / $1::int', [0])).rejects.toMatchObject({ code: '22012' });
    expect(await pooled.query('select $1::int as one', [1])).toEqual([{ one: 1 }]);
  });

  it('a lost connection is replaced', async () => {
    const lost = pooled.query('select pg_terminate_backend(pg_backend_pid())');
    await expect(lost).rejects.toThrow(DependencyUnavailable);
    expect(await pooled.query('select $1::int as one', [1])).toEqual([{ one: 1 }]);
  });
});
