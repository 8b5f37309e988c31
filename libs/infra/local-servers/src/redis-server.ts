import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from './free-port.js';
import { redisProgram } from './redis-program.js';
import { storedPassword, LocalServer } from './local-server.js';
import { ServerProcess, stopLeftOver } from './server-process.js';

export interface RedisServerOptions {
  readonly dataDir: string;
  readonly logFile: string;
  /** 0 uses a free port. */
  readonly port?: number;
  /** Ends the wait for the server, and the server with it. */
  readonly signal?: AbortSignal;
  /** Called before Redis is installed by the system's package manager, or downloaded. */
  readonly onInstall?: (what: string) => void;
}

const leftOver = {
  name: 'Redis',
  stopSignals: ['SIGTERM', 'SIGKILL'],
  stopWaitMs: 8000,
} as const;

/** The embedded Redis: in the data directory, on loopback, with a password, appending to its file. */
export class RedisServer extends LocalServer {
  /**
   * Stops a left-over server of this data directory, finds, installs or downloads the program and starts it.
   * @throws ServerError
   */
  static async start(options: RedisServerOptions): Promise<RedisServer> {
    const dataDir = resolve(options.dataDir);
    const home = join(dataDir, 'redis');
    await mkdir(home, { recursive: true, mode: 0o700 });
    await chmod(home, 0o700);
    const pidFile = join(dataDir, 'redis.pid.json');
    await stopLeftOver({ ...leftOver, pidFile });
    const packages = join(dataDir, 'redis-package');
    const program = await redisProgram(packages, options.onInstall ?? (() => undefined));

    const password = await storedPassword(join(home, 'password'));
    const port = options.port === undefined || options.port === 0 ? await freePort() : options.port;
    const url = `redis://:${password}@127.0.0.1:${port}`;
    const configFile = join(home, 'redis.conf');
    await writeFile(configFile, configuration({ port, home, password }), { mode: 0o600 });
    const process = await ServerProcess.start({
      ...leftOver,
      ...program,
      args: [configFile],
      cwd: home,
      logFile: options.logFile,
      pidFile,
      signal: options.signal,
      startDeadlineMs: 30_000,
      ready: () => ping(url),
    });
    return new RedisServer(process, url);
  }
}

/** Uses a file, not arguments: every user of the machine can read the arguments of a process. */
function configuration(given: { port: number; home: string; password: string }): string {
  return `${[
    'bind 127.0.0.1',
    `port ${given.port}`,
    `requirepass ${given.password}`,
    `dir "${given.home}"`,
    'daemonize no',
    // A nonce that is lost in a crash can be replayed for the timestamp's 300 s; money calls cannot.
    'appendonly yes',
    'appendfsync everysec',
    'save ""',
    // A rewrite of the file takes a processor for seconds. At 64 MB and at each doubling, Redis' default, that is every
    // four minutes with 230 creates a second; with these, every quarter of an hour (docs/adr/0080).
    'auto-aof-rewrite-min-size 256mb',
    'auto-aof-rewrite-percentage 400',
    // Keys and values are digests and other short strings, which do not get smaller.
    'rdbcompression no',
    // Evicting a nonce would let it be replayed. A credential's nonces and claims get at most a quarter of it: enough
    // for some 900 creates a second, all day, by the one credential of a demo or a benchmark (docs/adr/0024).
    'maxmemory 2gb',
    'maxmemory-policy noeviction',
    'tcp-keepalive 60',
  ].join('\n')}\n`;
}

/** Fails while the server is not up or still reads its file. */
async function ping(url: string): Promise<void> {
  const client = new Redis(url, {
    lazyConnect: true,
    connectTimeout: 1000,
    commandTimeout: 1000,
    retryStrategy: () => null,
    enableReadyCheck: false,
    maxRetriesPerRequest: 0,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.ping();
  } finally {
    client.disconnect();
  }
}
