import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chown, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import { type AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import {
  type Child,
  eventually,
  inheritedEnvironment,
  MerchantClient,
  onboardMerchant,
  startChild,
} from '#testing';
import { postgresPrograms, postgresUser } from '#infra/local-servers';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { compose, environmentIn, interpolated, ours } from '../contract/compose.js';
import { composeCertificate } from '../servers/compose-certificates.js';
import { ComposeServers, role } from './compose-servers.js';

/** docker-compose.yml without an engine: each command and each health check runs with the environment of Compose. */
const run = promisify(execFile);

let servers: ComposeServers;
const children = new Map<string, Child>();

beforeAll(async () => {
  servers = await ComposeServers.start();
  await migrate();
  for (const name of ['simulator', 'projector', 'worker', 'api'])
    children.set(name, await startService(name));
}, 300_000);
afterAll(async () => {
  for (const child of children.values()) child.signal('SIGTERM');
  await Promise.all([...children.values()].map(({ ended }) => ended));
  await servers.stop();
});

function environmentOf(name: string): Record<string, string> {
  const given = Object.entries(compose.services[name]?.environment ?? {});
  return {
    ...Object.fromEntries(given.map(([key, value]) => [key, servers.here(value)])),
    PORT: name === 'api' ? servers.ports.api : '0',
    SIMULATOR_PORT: servers.ports.simulator,
    ADMIN_PORT: '0',
    DATA_DIR: join(servers.folder, name),
  };
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
  const { port: postgres } = new URL(servers.servers.env.DATABASE_URL);
  const [kind, ...given] = test.map((word) =>
    interpolated(word)
      .replace('127.0.0.1:8099', `127.0.0.1:${servers.ports.simulator}`)
      .replace('127.0.0.1:2113', `127.0.0.1:${eventStorePort}`)
      .replace('/authority/', `${servers.tls}/authority/`)
      .replace('redis-cli', `redis-cli -p ${servers.ports.redis}`)
      .replace('--username=pesapost --dbname=pesapost', `--port=${postgres} -U ${role} -d ${role}`),
  );
  const [program = '', ...words] = kind === 'CMD-SHELL' ? ['sh', '-c', ...given] : given;
  const checked = spawn(program === 'node' ? process.execPath : program, words, {
    env: {
      ...servers.redisEnvironment(),
      ADMIN_HOST: '127.0.0.1',
      ADMIN_PORT: String(adminPort),
    },
    stdio: 'ignore',
  });
  const [code] = (await once(checked, 'exit')) as [number];
  return code;
}

it('each service comes up with the environment that Compose gives it, and is healthy', async () => {
  const steps = ['migrate', 'eventstore-user'];
  expect(ours.map(([name]) => name).sort()).toEqual([...children.keys(), ...steps].sort());
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
  const { certificate, key } = composeCertificate(servers.tls, 'eventstore');
  const tls = { cert: await readFile(certificate), key: await readFile(key) };
  const standIn = createServer(tls, ({ url }, response) => {
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
  const { image = '' } = compose.services['postgres'] ?? {};
  const user = await postgresUser();
  const home = join(servers.folder, 'postgres');
  const [data, passwordFile] = [join(home, 'data'), join(home, 'password')];
  await mkdir(home, { mode: 0o711 });
  await mkdir(data, { mode: 0o700 });
  const programs = await postgresPrograms(user && home);
  const env: Readonly<Record<string, string>> = {
    ...inheritedEnvironment(),
    LC_ALL: 'C',
    ...environmentIn('postgres'),
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

it('Postgres and Redis let in no user of the service without TLS', async () => {
  const { DATABASE_URL = '' } = environmentOf('api');
  const plain = DATABASE_URL.replace(/\?.*$/, '?sslmode=disable');
  const words = ['--no-psqlrc', '--command=select 1'];
  await expect(run('psql', [...words, plain])).rejects.toMatchObject({
    stderr: expect.stringContaining('no pg_hba.conf entry') as unknown,
  });
  // The superuser comes through the socket alone.
  const { DATABASE_URL: superuser } = servers.servers.env;
  await expect(run('psql', [...words, `${superuser}?sslmode=require`])).rejects.toMatchObject({
    stderr: expect.stringContaining('no pg_hba.conf entry') as unknown,
  });
  const env = servers.redisEnvironment();
  const asked = ['-p', servers.ports.redis, '--user', 'pesapost', 'ping'];
  await expect(run('redis-cli', asked, { env })).rejects.toBeDefined();
  const ca = ['--tls', '--cacert', composeCertificate(servers.tls, 'redis').authority];
  const unnamed = await run('redis-cli', [...ca, '-p', servers.ports.redis, 'ping'], { env });
  expect(unnamed.stdout + unnamed.stderr).toMatch(/NOAUTH|WRONGPASS/);
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
  const merchant = new MerchantClient(`http://127.0.0.1:${servers.ports.api}`, credentials);
  await eventually(
    () =>
      merchant.signIn().then(
        () => 'signed in',
        (error: unknown) => String(error),
      ),
    (outcome) => outcome === 'signed in',
  );
  await merchant.collect({ reference: 'COMPOSE-1' });
  const paid = await eventually(
    () => merchant.get('/api/v4/collections/COMPOSE-1'),
    // The first query comes after 75 s, so this is the callback, through the proxy.
    ({ body }) => body['status'] === 'completed',
    { withinMs: 60_000, everyMs: 200 },
  );
  expect(paid.body['status']).toBe('completed');
});
