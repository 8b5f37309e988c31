import { execFile } from 'node:child_process';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { promisify } from 'node:util';
import { packageDirectory } from '#infra/runtime';
import { freePort, type ServerProcess } from '#infra/local-servers';
import { startEventStore, type StoreServer } from './event-store.js';
import { type Fixture } from './fixture.js';
import { startNode } from './node-process.js';
import { Tokens } from './tokens.js';
import { type Usage, usageOf } from './usage.js';

/** The credentials with which a merchant signs. */
export interface Merchant {
  readonly merchantId: string;
  readonly accountNo: string;
  /** The present one: it is renewed while the service runs. */
  readonly accessToken: string;
  readonly privateKeyPem: string;
  readonly publicKeyPem: string;
}

export interface Service {
  readonly port: number;
  /** The ports of its APIs beside the first. */
  readonly replicaPorts: readonly number[];
  readonly projectorAdminPort: number;
  readonly databaseUrl: string;
  /** The folder of the event log, and the folder of the simulator's journal and all processes' logs. */
  readonly folders: { readonly log: string; readonly rest: string };
  readonly merchant: Merchant;
  /** The environment of its processes. */
  readonly env: Readonly<Record<string, string>>;
  /**
   * Issues the merchant another credential, and signs in with it.
   * @param holder the person who asks with it, or decides
   */
  credentialOf(holder: string): Promise<Merchant>;
  /** Runs a command line as an operator does, and reads its JSON. */
  operate(...words: string[]): Promise<Record<string, string>>;
  /** Returns the usage of each of its processes, servers included. */
  usage(): Promise<ReadonlyMap<string, Usage>>;
  stop(): Promise<void>;
}

const commandDeadlineMs = 30_000;

/** A log that was written before the service starts, and its merchant. */
export interface WrittenLog extends Pick<Merchant, 'merchantId' | 'accountNo'> {
  readonly store: StoreServer;
  /** Called once the API and the projector run; resolves when the views contain the log. */
  readonly built: (
    service: Pick<Service, 'usage'> & { readonly apiAdminPort: number },
  ) => Promise<void>;
}

/**
 * Starts the whole service with one merchant, each part as its own process, on a database of its own.
 * @param log if absent, a new one, in `store` if that is given
 * @param replicas the number of APIs, and of workers
 */
export async function startService(
  fixture: Fixture,
  settings: Readonly<Record<string, string>>,
  {
    log,
    store: given = log?.store,
    replicas = 1,
  }: {
    readonly log?: WrittenLog;
    readonly store?: StoreServer;
    readonly replicas?: number;
  } = {},
): Promise<Service> {
  const folder = await fixture.folder('service');
  const [postgres, redis, store] = [
    await fixture.postgres(),
    await fixture.redis(),
    given ?? (await startEventStore(fixture)),
  ];
  const databaseUrl = await fixture.database(basename(folder).replace('-', '_'));
  const [port, simulatorPort] = [await freePort(), await freePort()];
  const env = {
    ...sharedEnvironment({ folder, port, simulatorPort }),
    EVENTSTORE_URL: store.url,
    DATABASE_URL: databaseUrl,
    REDIS_URL: redis.url,
    ...settings,
  };
  const processes: ServerProcess[] = [store.process];
  const pids: Record<string, number> = { eventstore: store.process.pid };
  const start = async (
    app: string,
    adminPort: number,
    { readyPort = adminPort, name = app, ...ports }: StartPorts = {},
  ): Promise<void> => {
    const started = await startNode(fixture, {
      name,
      module: `apps/${app}/src/main`,
      folder,
      env: { ...env, ADMIN_PORT: String(adminPort), ...ports },
      port: readyPort,
    });
    processes.unshift(started);
    pids[name] = started.pid;
  };
  const tokens = new Tokens();
  const stop = async (): Promise<void> => {
    tokens.stop();
    for (const process of processes) await process.stop();
  };
  const place = { env, folder, port, tokens };
  try {
    const [apiAdminPort, projectorAdminPort, workerAdminPort] = [
      await freePort(),
      await freePort(),
      await freePort(),
    ];
    const usage = () => usageOf({ ...pids, postgres: postgres.pid, redis: redis.pid });
    await start('daraja-simulator', 0, { readyPort: simulatorPort });
    await start('api', apiAdminPort, { readyPort: port });
    await start('projector', projectorAdminPort);
    await log?.built({ usage, apiAdminPort });
    await start('worker', workerAdminPort);
    const replicaPorts: number[] = [];
    for (let replica = 2; replica <= replicas; replica += 1) {
      const replicaPort = await freePort();
      replicaPorts.push(replicaPort);
      const of = { name: `api-${replica}`, readyPort: replicaPort, PORT: String(replicaPort) };
      await start('api', await freePort(), of);
      await start('worker', await freePort(), { name: `worker-${replica}` });
    }
    const merchant = log ? await issue(place, { ...log, holder: 'bench' }) : await onboard(place);
    const operate = (...words: string[]) => pesapost(env, ...words);
    const folders = { log: store.directory, rest: folder };
    const credentialOf = (holder: string) => issue(place, { ...merchant, holder });
    return {
      port,
      replicaPorts,
      projectorAdminPort,
      databaseUrl,
      folders,
      merchant,
      env,
      credentialOf,
      operate,
      usage,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** A process's name if it is a replica, the port that shows that it is ready, and its own settings. */
interface StartPorts {
  readonly name?: string;
  readonly readyPort?: number;
  readonly PORT?: string;
}

function sharedEnvironment(of: {
  readonly folder: string;
  readonly port: number;
  readonly simulatorPort: number;
}): Record<string, string> {
  return {
    PORT: String(of.port),
    BASE_URL: `http://127.0.0.1:${of.port}`,
    ADMIN_HOST: '127.0.0.1',
    DATA_DIR: of.folder,
    MASTER_KEY: `bench:${randomBytes(32).toString('base64')}`,
    SIMULATOR_PORT: String(of.simulatorPort),
    DRAIN_DELAY: '0',
  };
}

/** The service in which a credential is issued. */
interface Place {
  readonly env: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly port: number;
  readonly tokens: Tokens;
}

async function onboard(place: Place): Promise<Merchant> {
  const { env } = place;
  const created = await pesapost(env, 'merchant', 'create', '--name', 'Bench');
  const merchantId = created['merchant_id'] ?? '';
  const of = ['--merchant', merchantId, '--mode', 'demo'];
  const account = await pesapost(env, 'account', 'open', '--currency', 'KES', ...of);
  await pesapost(env, 'fee', 'set', '--basis-points', '150', ...of);
  const accountNo = account['account_no'] ?? '';
  return issue(place, { merchantId, accountNo, holder: 'bench' });
}

async function issue(
  { env, folder, port, tokens }: Place,
  {
    merchantId,
    accountNo,
    holder,
  }: Pick<Merchant, 'merchantId' | 'accountNo'> & { readonly holder: string },
): Promise<Merchant> {
  const of = ['--merchant', merchantId, '--mode', 'demo'];
  const { publicKey: publicKeyPem, privateKey: privateKeyPem } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const file = join(folder, `${holder}.pem`);
  await writeFile(file, publicKeyPem);
  const credential = await pesapost(
    env,
    ...['credential', 'issue', '--kind', 'v4', '--holder', holder, '--public-key', file],
    ...['--ips', '127.0.0.1', '--rate', '10000/s', ...of],
  );
  const token = await tokens.of(port, {
    clientId: credential['client_id'] ?? '',
    clientSecret: credential['client_secret'] ?? '',
  });
  return {
    merchantId,
    accountNo,
    privateKeyPem,
    publicKeyPem,
    get accessToken() {
      return token.accessToken;
    },
  };
}

async function pesapost(
  env: Readonly<Record<string, string>>,
  ...words: string[]
): Promise<Record<string, string>> {
  const how = ['--reason', 'benchmark', '--as', 'bench'];
  const stdout = await runCommand(env, [...words, ...how], commandDeadlineMs);
  return JSON.parse(stdout) as Record<string, string>;
}

/**
 * Runs a command line and returns its JSON as text.
 * @param deadlineMs without a deadline if absent
 * @throws the error of `execFile`, with the exit code
 */
export async function runCommand(
  env: Readonly<Record<string, string>>,
  words: readonly string[],
  deadlineMs?: number,
): Promise<string> {
  const main = packageDirectory('dist', 'apps/cli/src/main.js');
  const { stdout } = await promisify(execFile)(process.execPath, [main, ...words, '--json'], {
    cwd: packageDirectory(),
    env: { ...process.env, ...env },
    timeout: deadlineMs,
    maxBuffer: 1 << 30,
  });
  return stdout;
}
