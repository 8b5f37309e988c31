import { execFile } from 'node:child_process';
import { chmod, chown, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { freePort } from './free-port.js';
import { type PostgresPrograms, postgresPrograms, postgresUser } from './postgres-programs.js';
import { reachableByAll, reachableHome } from './reachable.js';
import { ServerError, ServerProcess, stopLeftOver } from './server-process.js';
import { storedPassword, LocalServer } from './local-server.js';
import { disownZombie, onceSessionsEnded } from './stale-postmaster.js';

export interface PostgresServerOptions {
  /** Created if it does not exist. The cluster is in its folder `postgres`, or under /var/tmp: see below. */
  readonly dataDir: string;
  readonly logFile: string;
  /** 0 uses a free port. */
  readonly port?: number;
  /** Ends the wait for the server, and the server with it. */
  readonly signal?: AbortSignal;
  /** Settings of Postgres by name, which override ours; tests give up durability with them. */
  readonly settings?: Readonly<Record<string, string>>;
}

const userName = 'pesapost';
const databaseName = 'pesapost';
/** Enough for initdb on a slow disk, and for the recovery of a cluster that was killed under load. */
const startDeadlineMs = 60_000;
/** SQLSTATE. */
const wrongPassword = '28P01';

/**
 * Little memory, few connections, everything durable: fsync and full_page_writes stay on, as by default. Larger
 * write-ahead files avoid checkpoints while a benchmark writes.
 */
const tuning = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '60',
  shared_buffers: '64MB',
  work_mem: '8MB',
  maintenance_work_mem: '64MB',
  effective_cache_size: '512MB',
  max_wal_size: '1GB',
  min_wal_size: '80MB',
  wal_compression: 'on',
  checkpoint_timeout: '10min',
  checkpoint_completion_target: '0.9',
  max_worker_processes: '4',
  max_parallel_workers_per_gather: '0',
  max_wal_senders: '0',
  wal_level: 'minimal',
  random_page_cost: '1.1',
  jit: 'off',
  autovacuum_naptime: '15s',
  // Statements contain account numbers and hashes, so the log contains only errors, without their values.
  log_min_error_statement: 'panic',
  log_parameter_max_length_on_error: '0',
  log_error_verbosity: 'terse',
} as const;

const leftOver = {
  name: 'Postgres',
  // SIGINT: end the sessions and stop. SIGQUIT: stop as in a crash, which recovery repairs.
  stopSignals: ['SIGINT', 'SIGQUIT', 'SIGKILL'],
  stopWaitMs: 8000,
} as const;

/** The embedded Postgres: one cluster in the data directory, on loopback with a password. */
export class PostgresServer extends LocalServer {
  /**
   * Stops a left-over server of this data directory, creates the cluster if there is none, starts it and creates the
   * database.
   * @throws ServerError
   */
  static async start(options: PostgresServerOptions): Promise<PostgresServer> {
    const dataDir = resolve(options.dataDir);
    await mkdir(dataDir, { recursive: true });
    const pidFile = join(dataDir, 'postgres.pid.json');
    await stopLeftOver({ ...leftOver, pidFile });

    const user = await postgresUser();
    // Under root the programs run as another user, who must reach them and the data.
    const home =
      user && !(await reachableByAll(join(dataDir, 'postgres')))
        ? await reachableHome(dataDir)
        : dataDir;
    const programs = await postgresPrograms(user && home);
    const cluster = join(home, 'postgres');
    const password = await storedPassword(join(dataDir, 'postgres.password'));
    await initialise({ programs, cluster, user, password });

    const port = options.port === undefined || options.port === 0 ? await freePort() : options.port;
    const url = `postgres://${userName}:${password}@127.0.0.1:${port}/${databaseName}`;
    await disownZombie(cluster);
    const start = () =>
      ServerProcess.start({
        ...leftOver,
        command: programs.postgres,
        args: ['-D', cluster, '-p', String(port), ...settingFlags(options.settings)],
        cwd: cluster,
        env: { LC_ALL: 'C', TZ: 'UTC' },
        ...(user && { user }),
        logFile: options.logFile,
        pidFile,
        signal: options.signal,
        startDeadlineMs,
        ready: () => createDatabase(url),
      });
    const process = await onceSessionsEnded(start, options.signal);
    return new PostgresServer(process, url);
  }
}

function settingFlags(settings: PostgresServerOptions['settings']): string[] {
  return Object.entries({ ...tuning, ...settings }).flatMap(([name, value]) => [
    '-c',
    `${name}=${value}`,
  ]);
}

interface Initialisation {
  readonly programs: PostgresPrograms;
  readonly cluster: string;
  readonly user: { readonly uid: number; readonly gid: number } | undefined;
  readonly password: string;
}

/** Created next to its place and then renamed, so that a start that was killed leaves no half of a cluster. */
async function initialise({ programs, cluster, user, password }: Initialisation): Promise<void> {
  if (await exists(join(cluster, 'PG_VERSION'))) return;
  const made = `${cluster}.new`;
  const passwordFile = `${made}.password`;
  await rm(made, { recursive: true, force: true });
  await mkdir(made, { mode: 0o700 });
  await writeFile(passwordFile, password, { mode: 0o600 });
  if (user) await Promise.all([made, passwordFile].map((path) => chown(path, user.uid, user.gid)));
  const args = [
    ...['--pgdata', made, '--username', userName, '--pwfile', passwordFile],
    ...['--auth', 'scram-sha-256', '--encoding', 'UTF8', '--no-locale', '--no-instructions'],
    // Text sorts by code point whatever the machine's locales, so an index means the same everywhere.
    ...['--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8'],
  ];
  try {
    await promisify(execFile)(programs.initdb, args, {
      ...user,
      cwd: made,
      env: { ...process.env, LC_ALL: 'C', TZ: 'UTC' },
      timeout: startDeadlineMs,
    });
  } catch (error) {
    const said = (error as { stderr?: string }).stderr?.trim().split('\n').at(-1);
    throw new ServerError(`Postgres' initdb failed: ${said ?? String(error)}`, { cause: error });
  } finally {
    await rm(passwordFile, { force: true });
  }
  await chmod(made, 0o700);
  await rename(made, cluster);
}

/** This also checks that the server answers. */
async function createDatabase(url: string): Promise<void> {
  const admin = new URL(url);
  admin.pathname = '/postgres';
  const client = new pg.Client({
    connectionString: admin.href,
    connectionTimeoutMillis: 2000,
    query_timeout: 20_000,
  });
  // A server that is still starting closes the connection.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const found = await client.query('select 1 from pg_database where datname = $1', [
      databaseName,
    ]);
    if (found.rows.length === 0) await client.query(`create database ${databaseName}`);
  } catch (error) {
    if ((error as { code?: string }).code === wrongPassword)
      throw new ServerError(
        'Postgres refuses the password in postgres.password of the data directory: restore that file',
        { cause: error },
      );
    throw error;
  } finally {
    await client.end().catch(() => undefined);
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
