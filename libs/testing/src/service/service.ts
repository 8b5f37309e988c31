import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { throwAwayDatabase } from '../database.js';
import { type Child, spawnChild, type Spawned } from './child.js';
import { runCommandLine } from './command-process.js';
import { eventually } from './eventually.js';
import { MerchantClient } from './merchant-client.js';
import { onboardMerchant } from './operator.js';
import { freePort } from './free-port.js';
import { type ServiceRole, serviceRole } from './service-role.js';

export type AppName = 'api' | 'projector' | 'worker' | 'daraja-simulator';

export interface Service {
  readonly baseUrl: string;
  readonly simulatorUrl: string;
  /** The service's own merchant, signed in. */
  readonly merchant: MerchantClient;
  /** The settings that its processes were started with. */
  readonly env: Readonly<Record<string, string>>;
  readonly child: (app: AppName) => Child;
  /** Ends the process at once, as a crash does. */
  kill(app: AppName): Promise<void>;
  start(app: AppName): Promise<void>;
  /**
   * Starts one more process of an app, with ports of its own; it ends with the service. `settings` override the
   * service's own.
   */
  startReplica(app: AppName, settings?: Readonly<Record<string, string>>): Promise<Child>;
  /** Does the same without waiting until it listens. @param release the folder of another release */
  spawnReplica(
    app: AppName,
    settings?: Readonly<Record<string, string>>,
    release?: string,
  ): Spawned;
  /** Starts `npx pesapost` with these words, as an operator does. It never listens. */
  spawnCommand(
    words: readonly string[],
    settings?: Readonly<Record<string, string>>,
  ): Omit<Spawned, 'up'>;
  /** Runs the command to its end. @returns its exit code, and every line that it wrote */
  runCommand(
    words: readonly string[],
    settings?: Readonly<Record<string, string>>,
  ): Promise<{ readonly code: number; readonly text: string }>;
  /** All lines of all its processes, including those that have ended. */
  logLines(): string[];
  stop(): Promise<void>;
}

const apps = ['daraja-simulator', 'api', 'projector', 'worker'] as const satisfies AppName[];

/**
 * Starts the service from dist with a simulator of its own, and onboards a merchant. If the settings contain no
 * DATABASE_URL, it uses the run's servers, with a database and a Redis database of its own.
 * @param settings replace the defaults, which are chosen for speed
 * @param release folder of another release, whose processes are started
 */
export async function startService(
  settings: Readonly<Record<string, string>> = {},
  release?: string,
): Promise<Service> {
  const database = settings['DATABASE_URL'] === undefined ? await throwAwayDatabase() : undefined;
  const directory = await mkdtemp(join(tmpdir(), 'pesapost-service-'));
  const [port, simulatorPort] = [await freePort(), await freePort()];
  const env = {
    ...environment(directory, { port, simulatorPort }),
    ...(database === undefined ? {} : sharedServers(database.url)),
    ...settings,
  };
  const { DATABASE_DIRECT_URL: direct, DATABASE_URL: named = '' } = settings;
  // Another release makes its own views, so its processes get the owner's role.
  const role =
    release === undefined ? await serviceRole(database?.url ?? direct ?? named) : undefined;
  const children = new Map<AppName, Child>();
  const ended: Child[] = [];
  const start = async (app: AppName): Promise<void> => {
    const before = children.get(app);
    if (before) ended.push(before);
    children.set(app, await spawnChild(app, envOf(app, env, role), [], release).up);
  };
  const child = (app: AppName): Child => {
    const running = children.get(app);
    if (!running) throw new Error(`${app} was never started`);
    return running;
  };
  const replicas: Spawned[] = [];
  const spawnReplica: Service['spawnReplica'] = (app, own = {}, of) => {
    const replica = spawnChild(
      app,
      { ...envOf(app, env, of === undefined ? role : undefined), PORT: '0', ...own },
      [],
      of,
    );
    replicas.push(replica);
    return replica;
  };
  const spawnCommand: Service['spawnCommand'] = (words, own = {}) =>
    spawnChild('cli', { ...env, ...own }, words);
  const stop = async (): Promise<void> => {
    const all = [...children.values(), ...replicas];
    for (const running of all) running.signal('SIGCONT');
    for (const running of all) running.signal('SIGTERM');
    await Promise.all(all.map((running) => running.ended));
    await database?.drop();
    if (database) await role?.drop();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await Promise.all(apps.map(start));
    const merchant = new MerchantClient(`http://127.0.0.1:${port}`, await onboardMerchant(env));
    await eventually(
      () =>
        merchant.signIn().then(
          () => true,
          () => false,
        ),
      Boolean,
    );
    return {
      baseUrl: merchant.baseUrl,
      simulatorUrl: `http://127.0.0.1:${simulatorPort}`,
      merchant,
      env,
      child,
      start,
      kill: async (app) => {
        child(app).signal('SIGKILL');
        await child(app).ended;
      },
      spawnReplica,
      startReplica: (app, own) => spawnReplica(app, own).up,
      spawnCommand,
      runCommand: async (words, own) => {
        const { code, stdout, stderr } = await runCommandLine({ ...env, ...own }, words);
        return { code, text: (stdout + stderr).trimEnd() };
      },
      logLines: () => [...ended, ...children.values(), ...replicas].flatMap(({ lines }) => lines),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function environment(
  directory: string,
  { port, simulatorPort }: { readonly port: number; readonly simulatorPort: number },
): Record<string, string> {
  return {
    PORT: String(port),
    BASE_URL: `http://127.0.0.1:${port}`,
    ADMIN_PORT: '0',
    DRAIN_DELAY: '0',
    DATA_DIR: directory,
    MASTER_KEY: `test:${randomBytes(32).toString('base64')}`,
    SIMULATOR_PORT: String(simulatorPort),
    SIMULATOR_DELAY: '50ms',
    SIMULATOR_SLOW_ANSWER: '2s',
    RAIL_PUSH_TIMEOUT: '1s',
    RAIL_QUERY_DELAYS: '1s,2s,3s,4s,6s,10s',
    LOG_LEVEL: 'info',
  };
}

function sharedServers(databaseUrl: string): Record<string, string> {
  const redis = new URL(process.env['REDIS_URL'] ?? '');
  // One Redis database per jest worker: all users of one Redis share the rail's token.
  redis.pathname = `/${process.env['JEST_WORKER_ID'] ?? '1'}`;
  return {
    EVENTSTORE_URL: process.env['EVENTSTORE_URL'] ?? '',
    DATABASE_URL: databaseUrl,
    REDIS_URL: redis.href,
  };
}

/** The API and the worker have the rights that they need, and no more. */
function envOf(
  app: AppName,
  env: Readonly<Record<string, string>>,
  role: ServiceRole | undefined,
): Record<string, string> {
  const isLimited = role !== undefined && (app === 'api' || app === 'worker');
  return {
    ...env,
    ...(app === 'api' ? {} : { PORT: '0' }),
    ...(isLimited && asRole(role.url, env)),
  };
}

/** The role's URL or, behind a pooler, its URLs of the pooler and the server. */
function asRole(
  url: string,
  { DATABASE_URL: named = '', DATABASE_DIRECT_URL: direct }: Readonly<Record<string, string>>,
): Record<string, string> {
  if (direct === undefined) return { DATABASE_URL: url };
  const [pooled, { username, password }] = [new URL(named), new URL(url)];
  [pooled.username, pooled.password] = [username, password];
  return { DATABASE_URL: pooled.href, DATABASE_DIRECT_URL: url };
}
