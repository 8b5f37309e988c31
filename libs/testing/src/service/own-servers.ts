import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Database, migrateRecords } from '#infra/postgres';
import { createLogger } from '#infra/runtime';
import { PostgresServer, RedisServer } from '#infra/local-servers';
import { patientPool } from '../database.js';
import { type Child, startChild } from './child.js';
import { freePort } from './free-port.js';

const run = promisify(execFile);

export type ServerName = 'eventstore' | 'postgres' | 'redis';

/** An event store, a Postgres and a Redis of the test's own, to be killed or frozen and started again. */
export interface OwnServers {
  readonly env: Readonly<Record<'EVENTSTORE_URL' | 'DATABASE_URL' | 'REDIS_URL', string>>;
  readonly pid: (server: ServerName) => number;
  /** The event store's data, to be copied or replaced while it is not running. */
  readonly eventStoreDirectory: string;
  /** Ends the server at once, as a crash or a power cut does. */
  kill(server: ServerName): Promise<void>;
  /** Stops it with its connections: it neither answers nor ends. */
  freeze(server: ServerName): Promise<void>;
  thaw(server: ServerName): Promise<void>;
  /**
   * Starts it again on its data and its port.
   * @param settings of the event store, such as another clock, or of Postgres
   */
  start(server: ServerName, settings?: Readonly<Record<string, string>>): Promise<void>;
  stop(): Promise<void>;
}

interface Running {
  readonly pid: number;
  readonly ended: Promise<unknown>;
  stop(): Promise<unknown>;
}

/** A Postgres of the test's own, for tests that other sessions of a server would disturb: the records' schema exists. */
export async function startOwnPostgres(): Promise<{
  readonly url: string;
  stop(): Promise<void>;
}> {
  const directory = await serversDirectory();
  const server = await startPostgres(directory, await freePort());
  await migrate(server.url);
  return {
    url: server.url,
    stop: async () => {
      await server.stop();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

async function serversDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'pesapost-servers-'));
  // Under root, Postgres runs as another user, who must be able to enter the folder.
  await chmod(directory, 0o711);
  return directory;
}

/**
 * Starts all three on free ports; the records' schema exists.
 * @param ofPostgres its settings by name
 */
export async function startOwnServers(
  ofPostgres: Readonly<Record<string, string>> = {},
): Promise<OwnServers> {
  const directory = await serversDirectory();
  const eventStoreDirectory = join(directory, 'eventstore');
  const ports = {
    eventstore: await freePort(),
    postgres: await freePort(),
    redis: await freePort(),
  };
  const start = {
    eventstore: (settings: Readonly<Record<string, string>> = {}) =>
      startEventStore(eventStoreDirectory, ports.eventstore, settings),
    postgres: (settings: Readonly<Record<string, string>> = {}) =>
      startPostgres(directory, ports.postgres, { ...ofPostgres, ...settings }),
    redis: () => startRedis(directory, ports.redis),
  };
  const running = {
    eventstore: await start.eventstore(),
    postgres: await start.postgres(),
    redis: await start.redis(),
  };
  const env = {
    EVENTSTORE_URL: running.eventstore.url,
    DATABASE_URL: running.postgres.url,
    REDIS_URL: running.redis.url,
  };
  await migrate(env.DATABASE_URL);
  return {
    env,
    pid: (server) => running[server].pid,
    eventStoreDirectory,
    kill: async (server) => {
      process.kill(running[server].pid, 'SIGKILL');
      await running[server].ended;
    },
    freeze: (server) => signalTree(running[server].pid, 'SIGSTOP'),
    thaw: (server) => signalTree(running[server].pid, 'SIGCONT'),
    start: async (server, settings) => {
      running[server] = await start[server](settings);
    },
    stop: async () => {
      await Promise.all(Object.values(running).map((server) => server.stop()));
      await rm(directory, { recursive: true, force: true });
    },
  };
}

/** Postgres has a process for each connection. */
async function signalTree(pid: number, signal: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
  process.kill(pid, signal);
  const { stdout } = await run('pgrep', ['-P', String(pid)]).catch(() => ({ stdout: '' }));
  // A process that ends just now counts as signalled.
  for (const child of stdout.split('\n').filter((line) => line !== ''))
    try {
      process.kill(Number(child), signal);
    } catch {
      continue;
    }
}

async function startEventStore(
  home: string,
  port: number,
  settings: Readonly<Record<string, string>>,
): Promise<Running & { readonly url: string }> {
  await mkdir(home, { recursive: true });
  const child: Child = await startChild('embedded-eventstore', {
    EMBEDDED_EVENTSTORE_DIR: home,
    EMBEDDED_EVENTSTORE_PORT: String(port),
    ...settings,
  });
  return {
    pid: child.pid,
    ended: child.ended,
    url: `esdb://127.0.0.1:${port}?tls=false`,
    stop: () => {
      child.signal('SIGTERM');
      return child.ended;
    },
  };
}

async function startPostgres(
  directory: string,
  port: number,
  own: Readonly<Record<string, string>> = {},
): Promise<Running & { readonly url: string }> {
  const logFile = join(directory, 'postgres.log');
  // Replicas of all apps connect at once.
  const settings = { max_connections: '200', ...own };
  const server = await PostgresServer.start({ dataDir: directory, logFile, port, settings });
  const { pid, exited: ended, url } = server;
  return { pid, ended, url, stop: () => server.stop() };
}

async function startRedis(
  directory: string,
  port: number,
): Promise<Running & { readonly url: string }> {
  const logFile = join(directory, 'redis.log');
  const server = await RedisServer.start({ dataDir: directory, logFile, port });
  const { pid, exited: ended, url } = server;
  return { pid, ended, url, stop: () => server.stop() };
}

async function migrate(url: string): Promise<void> {
  const logger = createLogger({ app: 'tests', level: 'fatal' });
  const database = new Database({ ...patientPool, url, app: 'tests', logger });
  try {
    await migrateRecords(database);
  } finally {
    await database.close();
  }
}
