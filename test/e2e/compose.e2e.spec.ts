import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import {
  type Child,
  eventually,
  freePort,
  inheritedEnvironment,
  MerchantClient,
  onboardMerchant,
  type OwnServers,
  startChild,
  startOwnServers,
} from '#testing';
import { postgresPrograms, postgresUser } from '#infra/local-servers';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { compose, dotEnv, interpolated, ours } from '../contract/compose.js';
import { requireProgram } from '../servers/program.js';

/**
 * docker-compose.yml without an engine: each command and each health check runs with the environment that Compose would
 * set. Only names of hosts, ports and the database role are replaced.
 */
const run = promisify(execFile);
const role = 'pesapost_of_compose';

let servers: OwnServers;
let directory: string;
let redis: ChildProcess;
let ports: Readonly<Record<'redis' | 'simulator' | 'api', string>>;
const children = new Map<string, Child>();

beforeAll(async () => {
  await requireProgram('psql', 'postgresql-client');
  await requireProgram('curl', 'curl');
  [servers, directory] = [
    await startOwnServers(),
    await mkdtemp(join(tmpdir(), 'pesapost-compose-')),
  ];
  const [forRedis, forSimulator, forApi] = [await freePort(), await freePort(), await freePort()];
  ports = { redis: `${forRedis}`, simulator: `${forSimulator}`, api: `${forApi}` };
  await makeRoles();
  await migrate();
  redis = startRedis();
  for (const name of ['simulator', 'projector', 'worker', 'api'])
    children.set(name, await startService(name));
});
afterAll(async () => {
  for (const child of children.values()) child.signal('SIGTERM');
  await Promise.all([...children.values()].map(({ ended }) => ended));
  const ended = once(redis, 'exit');
  redis.kill('SIGTERM');
  await ended;
  await servers.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Replaces Compose's host names with the addresses of the servers under test. */
function here(value: string): string {
  const { host: database } = new URL(servers.env.DATABASE_URL);
  return interpolated(value)
    .replace('esdb://eventstore:2113', servers.env.EVENTSTORE_URL.split('?')[0] ?? '')
    .replace(
      /pesapost(_owner)?:(\w+)@postgres:5432\/pesapost/,
      (_, owner = '', password) => `${role}${owner}:${password}@${database}/${role}`,
    )
    .replace('@redis:6379', `@127.0.0.1:${ports.redis}`)
    .replace('http://simulator:8099', `http://127.0.0.1:${ports.simulator}`)
    .replace('http://api:8080', `http://127.0.0.1:${ports.api}`)
    .replace('172.29.80.10', '127.0.0.1');
}

function environmentOf(name: string): Record<string, string> {
  const given = Object.entries(compose.services[name]?.environment ?? {});
  return {
    ...Object.fromEntries(given.map(([key, value]) => [key, here(value)])),
    PORT: name === 'api' ? ports.api : '0',
    SIMULATOR_PORT: ports.simulator,
    ADMIN_PORT: '0',
    DATA_DIR: join(directory, name),
  };
}

/** Runs docker/postgres-roles.sql with psql, as Postgres' image does when it makes its data folder. */
async function makeRoles(): Promise<void> {
  const file = join(directory, 'roles.sql');
  const sql = await readFile('docker/postgres-roles.sql', 'utf8');
  await writeFile(
    file,
    sql.replaceAll(
      /(\b(?:role|database|owner|to)|\\connect) pesapost(?=_owner\b|\b)/g,
      `$1 ${role}`,
    ),
  );
  const env = {
    ...process.env,
    PESAPOST_PASSWORD: dotEnv['POSTGRES_PASSWORD'],
    PESAPOST_OWNER_PASSWORD: dotEnv['POSTGRES_OWNER_PASSWORD'],
  };
  const { DATABASE_URL } = servers.env;
  await run('psql', ['--set=ON_ERROR_STOP=1', '--no-psqlrc', `--file=${file}`, DATABASE_URL], {
    env,
  });
}

const redisEnvironment = () => ({
  ...inheritedEnvironment(),
  REDISCLI_AUTH: interpolated(compose.services['redis']?.environment?.['REDISCLI_AUTH'] ?? ''),
});

function startRedis(): ChildProcess {
  const [program = '', ...words] = (compose.services['redis']?.command ?? []).map(interpolated);
  const own = `redis-server --port ${ports.redis} --dir ${directory}`;
  const script = words.map((word) => word.replace('redis-server', own));
  return spawn(program, script, { env: redisEnvironment(), stdio: 'ignore' });
}

/** Runs the step on which the others depend. */
async function migrate(): Promise<void> {
  const [program, ...words] = compose.services['migrate']?.command ?? [];
  expect(program).toBe('node');
  const env = { ...inheritedEnvironment(), ...environmentOf('migrate') };
  const { stdout } = await run(process.execPath, words, { env });
  expect(stdout).toContain('the records are migrated');
}

function startService(name: string): Promise<Child> {
  const [program, main = ''] = compose.services[name]?.command ?? [];
  expect(program).toBe('node');
  const app = basename(dirname(dirname(main)));
  return startChild(app, environmentOf(name));
}

/**
 * The exit code of a health check: the service's own, or the image's.
 * @param eventStorePort of what answers for the event store
 */
async function healthOf(name: string, adminPort?: number, eventStorePort = 0): Promise<number> {
  const dockerfile = await readFile('Dockerfile', 'utf8');
  const ofImage = /HEALTHCHECK [^\n]*\\\n\s*CMD (\[.*\])/.exec(dockerfile)?.[1] ?? '[]';
  const test = compose.services[name]?.healthcheck?.test ?? [
    'CMD',
    ...(JSON.parse(ofImage) as string[]),
  ];
  const { port: postgres } = new URL(servers.env.DATABASE_URL);
  const [kind, ...given] = test.map((word) =>
    interpolated(word)
      .replace('127.0.0.1:8099', `127.0.0.1:${ports.simulator}`)
      .replace('127.0.0.1:2113', `127.0.0.1:${eventStorePort}`)
      .replace('redis-cli', `redis-cli -p ${ports.redis}`)
      .replace('--username=pesapost --dbname=pesapost', `--port=${postgres} -U ${role} -d ${role}`),
  );
  const [program = '', ...words] = kind === 'CMD-SHELL' ? ['sh', '-c', ...given] : given;
  const checked = spawn(program === 'node' ? process.execPath : program, words, {
    env: { ...redisEnvironment(), ADMIN_PORT: String(adminPort) },
    stdio: 'ignore',
  });
  const [code] = (await once(checked, 'exit')) as [number];
  return code;
}

it('each service comes up with the environment that Compose gives it, and is healthy', async () => {
  expect(ours.map(([name]) => name).sort()).toEqual([...children.keys(), 'migrate'].sort());
  for (const name of ['postgres', 'redis', ...children.keys()]) {
    const adminPort = children.get(name)?.ports.adminPort;
    const code = await eventually(
      () => healthOf(name, adminPort),
      (found) => found === 0,
    );
    expect({ name, code }).toEqual({ name, code: 0 });
  }
});

it('a health check fails once its service is gone', async () => {
  const spare = await startService('worker');
  spare.signal('SIGKILL');
  await spare.ended;
  expect(await healthOf('worker', spare.ports.adminPort)).not.toBe(0);
});

it('the event store is healthy if its page of liveness says so, and only then', async () => {
  let status = 204;
  // EventStoreDB itself is not here; this is its documented answer.
  const standIn = createServer(({ url }, response) => {
    response.writeHead(url === '/health/live' ? status : 404).end();
  }).listen(0, '127.0.0.1');
  await once(standIn, 'listening');
  const { port } = standIn.address() as AddressInfo;
  const health = () => healthOf('eventstore', undefined, port);
  try {
    expect(await health()).toBe(0);
    status = 503;
    expect(await health()).not.toBe(0);
  } finally {
    standIn.close();
    standIn.closeAllConnections();
  }
  expect(await health()).not.toBe(0);
});

it('Postgres of that version makes its data folder with the arguments that Compose gives it', async () => {
  const { image = '', environment = {} } = compose.services['postgres'] ?? {};
  const given = Object.entries(environment).map(
    ([key, value]) => [key, interpolated(value)] as const,
  );
  const user = await postgresUser();
  const home = join(directory, 'postgres');
  const [data, passwordFile] = [join(home, 'data'), join(home, 'password')];
  await chmod(directory, 0o711);
  await mkdir(home, { mode: 0o711 });
  await mkdir(data, { mode: 0o700 });
  const programs = await postgresPrograms(user && home);
  const env: Readonly<Record<string, string>> = {
    ...inheritedEnvironment(),
    LC_ALL: 'C',
    ...Object.fromEntries(given),
  };
  await writeFile(passwordFile, `${env['POSTGRES_PASSWORD']}\n`);
  if (user) for (const path of [data, passwordFile]) await chown(path, user.uid, user.gid);
  const own = `--username=postgres --pwfile=${passwordFile} --pgdata=${data}`;
  // As the image's own script does it.
  const script = `eval exec ${programs.initdb} ${own} "$POSTGRES_INITDB_ARGS"`;
  const asUser = { ...user, env, cwd: home };
  await run('sh', ['-c', script], asUser);
  const version = (await readFile(join(data, 'PG_VERSION'), 'utf8')).trim();
  expect(interpolated(image)).toMatch(new RegExp(`^postgres:${version}\\.`));
  const asked = run(programs.postgres, ['--single', '-D', data, 'template1'], asUser);
  asked.child.stdin?.end(
    `select datlocprovider, datlocale from pg_database where datname = 'template1'\n`,
  );
  const { stdout } = await asked;
  for (const [column, value] of Object.entries({ datlocprovider: 'b', datlocale: 'C.UTF-8' }))
    expect(stdout).toContain(`${column} = "${value}"`);
});

it('the database role owns nothing and is no superuser, and a collection is paid and posted with it', async () => {
  const env = environmentOf('api');
  const rights = [
    'rolsuper or rolcreatedb or rolcreaterole',
    `has_database_privilege(current_database(), 'create')`,
    'exists (select from pg_class where relowner = pg_roles.oid)',
  ].join(' or ');
  const sql = `--command=select ${rights} from pg_roles where rolname = current_user`;
  const { DATABASE_URL = '' } = env;
  const words = ['--no-psqlrc', '--tuples-only', '--no-align', sql, DATABASE_URL];
  const { stdout } = await run('psql', words);
  expect(stdout.trim()).toBe('f');
  const credentials = await onboardMerchant(env);
  const merchant = new MerchantClient(`http://127.0.0.1:${ports.api}`, credentials);
  await eventually(
    () =>
      merchant.signIn().then(
        () => true,
        () => false,
      ),
    Boolean,
  );
  await merchant.collect({ reference: 'COMPOSE-1' });
  const paid = await eventually(
    () => merchant.get('/api/v4/collections/COMPOSE-1'),
    ({ body }) => body['status'] === 'completed',
    { withinMs: 60_000, everyMs: 200 },
  );
  expect(paid.body['status']).toBe('completed');
});
