import { mkdir } from 'node:fs/promises';
import { startNodeChild } from './children/node-child.js';
import { answersHttp2, answersPostgres, answersRedis, answersTcp } from './children/probe.js';
import { described, type ProcessOptions } from './children/processes.js';
import { type DataDirectory } from './data-directory/data-directory.js';
import { endSilent, freePort, PostgresServer, RedisServer } from '#infra/local-servers';

/** A server that runs under the launcher. Its port stays the same over restarts, because every child knows it. */
export interface EmbeddedServer {
  readonly process: ProcessOptions;
  /** Known once the process has started. It may hold a password, so it is never logged. */
  readonly url: () => string;
}

interface LocalServerOptions {
  readonly dataDir: string;
  readonly logFile: string;
  readonly port: number;
  readonly signal: AbortSignal;
}

const stopWaitMs = 10_000;
/** A running server answers its check within this time. */
const lookDeadlineMs = 5000;

export async function embeddedEventStore(directory: DataDirectory): Promise<EmbeddedServer> {
  const port = await freePort();
  const app = 'embedded-eventstore';
  const env = {
    EMBEDDED_EVENTSTORE_DIR: directory.join('eventstore'),
    EMBEDDED_EVENTSTORE_HOST: '127.0.0.1',
    EMBEDDED_EVENTSTORE_PORT: String(port),
  };
  const child = { app, env, heapMb: 192, stopWaitMs, ready: () => answersTcp(port) };
  return {
    process: {
      ...described(directory, app, 'servers'),
      look: () => answersHttp2(port, lookDeadlineMs),
      start: async (signal) => {
        await mkdir(env.EMBEDDED_EVENTSTORE_DIR, { recursive: true, mode: 0o700 });
        return startNodeChild(directory, child, signal);
      },
    },
    url: () => `esdb://127.0.0.1:${port}?tls=false`,
  };
}

export function embeddedPostgres(directory: DataDirectory): Promise<EmbeddedServer> {
  return localServer(directory, 'postgres', (options) => PostgresServer.start(options));
}

/** @param onInstall called before the system's package manager installs Redis */
export function embeddedRedis(
  directory: DataDirectory,
  onInstall: (what: string) => void,
): Promise<EmbeddedServer> {
  return localServer(directory, 'redis', (options) => RedisServer.start({ ...options, onInstall }));
}

async function localServer(
  directory: DataDirectory,
  name: 'postgres' | 'redis',
  startServer: (options: LocalServerOptions) => Promise<PostgresServer | RedisServer>,
): Promise<EmbeddedServer> {
  const port = await freePort();
  const description = described(directory, name, 'servers');
  const { logFile } = description;
  let url = '';
  return {
    process: {
      ...description,
      look: () => (name === 'postgres' ? answersPostgres : answersRedis)(port, lookDeadlineMs),
      end: (pid) => endSilent(name, pid),
      start: async (signal) => {
        const server = await startServer({ dataDir: directory.path, logFile, port, signal });
        ({ url } = server);
        return server;
      },
    },
    url: () => url,
  };
}
