/**
 * The real servers of integration and end-to-end tests, started once for all jest projects of a run.
 * If the environment already names a server (EVENTSTORE_URL, DATABASE_URL, REDIS_URL), that server is used as it is.
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { makeRunFolder, removeLeftOvers } from './left-overs.ts';

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const dist = join(root, 'dist');
const storeDeadlineMs = 90_000;
const stopDeadlineMs = 10_000;
/** A folder in memory on Linux: making and dropping a database takes a twentieth of the time there. */
const memory = '/dev/shm';
/** Five times the most that the unit and integration specs use. */
const memoryNeeded = 2 * 1024 ** 3;
/** No test needs its cluster's data after a power cut. Two specs' services, including replicas, connect at once. */
const settings = {
  max_connections: '300',
  fsync: 'off',
  full_page_writes: 'off',
  wal_compression: 'off',
  max_wal_size: '160MB',
};

/** @typedef {{ stop: () => Promise<unknown> }} Running */

let users = 0;
/** @type {Promise<Running[]> | undefined} */
let starting;

/** Starts what is missing and names it in process.env; a second call waits for the first. */
export async function useServers() {
  users += 1;
  starting ??= startAll();
  await starting;
}

/** The last user stops them. */
export async function leaveServers() {
  users -= 1;
  if (users > 0 || !starting) return;
  await stopAll(await starting);
  starting = undefined;
}

/** @param {Running[]} running newest first */
async function stopAll(running) {
  for (const server of running) await server.stop();
}

async function startAll() {
  if (!existsSync(join(dist, 'libs/infra/local-servers/src/index.js')))
    throw new Error('the servers of the tests come from dist: run npm run build first');
  const directory = await makeDirectory();
  /** @type {Running[]} */
  const running = [{ stop: () => rm(directory, { recursive: true, force: true }) }];
  running.unshift(useForTemporaryFiles(directory));
  process.env.MASTER_KEY ??= `test:${randomBytes(32).toString('base64')}`;
  try {
    if (!process.env.REDIS_URL) running.unshift(await startRedis(directory));
    if (!process.env.DATABASE_URL) running.unshift(await startPostgres(directory));
    if (!process.env.EVENTSTORE_URL) running.unshift(await startEventStore(directory));
    running.unshift(await makeTemplate());
    return running;
  } catch (error) {
    await stopAll(running);
    throw error;
  }
}

/** A folder of this run's own, in memory if there is enough of it. */
async function makeDirectory() {
  await removeLeftOvers(memory);
  const directory = await makeRunFolder((await isRoomy(memory)) ? memory : tmpdir());
  // Under root, Postgres runs as another user, who must be able to enter the folder.
  await chmod(directory, 0o711);
  return directory;
}

/** @param {string} folder in memory, if it exists */
async function isRoomy(folder) {
  try {
    const { bavail, bsize } = await statfs(folder);
    return bavail * bsize >= memoryNeeded && process.availableMemory() >= 2 * memoryNeeded;
  } catch {
    return false;
  }
}

/**
 * Puts the temporary files of specs, and of the services that they start, into the run's folder.
 * @param {string} directory
 * @returns {Running}
 */
function useForTemporaryFiles(directory) {
  const before = process.env.TMPDIR;
  process.env.TMPDIR = directory;
  const restore = () => {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  };
  return { stop: () => Promise.resolve(restore()) };
}

/** @param {string} directory */
async function startRedis(directory) {
  const { RedisServer } = await import('../../dist/libs/infra/local-servers/src/index.js');
  const logFile = join(directory, 'redis.log');
  const server = await RedisServer.start({ dataDir: directory, logFile, onInstall: console.error });
  process.env.REDIS_URL = server.url;
  return server;
}

/** @param {string} directory */
async function startPostgres(directory) {
  const { PostgresServer } = await import('../../dist/libs/infra/local-servers/src/index.js');
  const logFile = join(directory, 'postgres.log');
  const server = await PostgresServer.start({ dataDir: directory, logFile, settings });
  process.env.DATABASE_URL = server.url;
  return server;
}

/** @param {string} directory */
async function startEventStore(directory) {
  const home = join(directory, 'eventstore');
  await mkdir(home);
  const child = spawn(process.execPath, [join(dist, 'apps/embedded-eventstore/src/main.js')], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, EMBEDDED_EVENTSTORE_DIR: home, EMBEDDED_EVENTSTORE_PORT: '0' },
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const port = await listeningPort(child);
  process.env.EVENTSTORE_URL = `esdb://127.0.0.1:${port}?tls=false`;
  // Shows specs that start services of their own that this one was not named from outside.
  process.env.PESAPOST_TEST_EVENTSTORE = 'embedded';
  return {
    stop: async () => {
      const patience = setTimeout(() => child.kill('SIGKILL'), stopDeadlineMs);
      child.kill('SIGTERM');
      await exited;
      clearTimeout(patience);
    },
  };
}

/**
 * The port of the line {"msg":"listening","port":N}; the lines after it are read and dropped.
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<number>}
 */
function listeningPort(child) {
  return new Promise((resolve, reject) => {
    const fail = () => {
      child.kill('SIGKILL');
      reject(new Error('the embedded event store did not come up'));
    };
    const patience = setTimeout(fail, storeDeadlineMs);
    child.once('exit', fail);
    createInterface({ input: child.stdout }).on('line', (line) => {
      const port = portOf(line);
      if (port === undefined) return;
      clearTimeout(patience);
      child.off('exit', fail);
      resolve(port);
    });
  });
}

/** @param {string} line */
function portOf(line) {
  try {
    const { msg, port } = JSON.parse(line);
    return msg === 'listening' && Number.isInteger(port) ? port : undefined;
  } catch {
    return undefined;
  }
}

/** A migrated database with a name of its own, which tests clone: cloning takes a tenth of the time of migrating. */
async function makeTemplate() {
  const { Database, migrateRecords } = await import('../../dist/libs/infra/postgres/src/index.js');
  const { createLogger } = await import('../../dist/libs/infra/runtime/src/index.js');
  const name = `pesapost_template_${randomBytes(4).toString('hex')}`;
  const server = process.env.DATABASE_URL ?? '';
  await administer(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const logger = createLogger({ app: 'tests', level: 'warn' });
  const database = new Database({ url: url.href, app: 'tests', logger });
  try {
    await migrateRecords(database);
  } finally {
    await database.close();
  }
  process.env.PESAPOST_TEMPLATE_DATABASE = name;
  return { stop: () => administer(server, `drop database if exists ${name} with (force)`) };
}

/**
 * @param {string} url
 * @param {string} statement
 */
async function administer(url, statement) {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 5000 });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
