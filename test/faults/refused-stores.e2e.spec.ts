import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import {
  eventually,
  freePort,
  type OwnServers,
  type Service,
  type Spawned,
  startOwnServers,
  startService,
} from '#testing';
import { viewSchema } from '#views/view-set';
import { type Certificate, certificateIn } from '../servers/certificates.js';
import { isReady } from '../servers/balancer.js';
import { serveTls } from '../servers/postgres-tls.js';
import { requireProgram } from '../servers/program.js';
import { asked } from './postgres-backup.js';
import { steadyAgain } from './steady.js';

/**
 * The service on a Postgres and a Redis with TLS. Their certificates are replaced by wrong ones while it runs, and by the
 * right ones again; and its users lack a right. The event store's are in event-store-tls.
 */
const apps = ['api', 'projector', 'worker'] as const;
const usersOfRedis = ['api', 'worker'] as const;

let folder: string;
let right: Certificate;
let servers: OwnServers;
let redis: ChildProcess;
let redisPorts: { readonly plain: number; readonly tls: number };
let admin: Redis;
let service: Service;

beforeAll(async () => {
  await requireProgram('redis-server');
  folder = await mkdtemp(join(tmpdir(), 'pesapost-refused-'));
  right = await certificateIn(folder, 'right');
  servers = await startOwnServers();
  await serveTls(servers.env.DATABASE_URL, right);
  redisPorts = { plain: await freePort(), tls: await freePort() };
  redis = startRedis();
  admin = new Redis(redisPorts.plain, '127.0.0.1');
  await admin.ping();
  service = await startService({
    ...servers.env,
    DATABASE_URL: databaseUrl(),
    REDIS_URL: redisUrl(),
    NODE_EXTRA_CA_CERTS: right.authority,
  });
}, 300_000);
afterAll(async () => {
  await service.stop();
  admin.disconnect();
  const ended = once(redis, 'exit');
  redis.kill('SIGTERM');
  await ended;
  await servers.stop();
  await rm(folder, { recursive: true, force: true });
});

function startRedis(): ChildProcess {
  return spawn(
    'redis-server',
    [
      ...['--port', String(redisPorts.plain), '--tls-port', String(redisPorts.tls)],
      ...['--tls-cert-file', right.certificate, '--tls-key-file', right.key],
      ...['--tls-ca-cert-file', right.authority, '--tls-auth-clients', 'no'],
      ...['--save', '', '--maxmemory-policy', 'noeviction', '--dir', folder],
    ],
    { stdio: 'ignore' },
  );
}

function databaseUrl({ user = '', authority = right.authority } = {}): string {
  const url = new URL(servers.env.DATABASE_URL);
  if (user !== '') [url.username, url.password] = [user, 'pl4in'];
  return `${url.href}?sslmode=verify-full&sslrootcert=${authority}`;
}

function redisUrl(user = ''): string {
  return `rediss://${user}127.0.0.1:${redisPorts.tls}`;
}

/** Serves the certificate, and ends the connections that were made with another one. */
const serving = {
  postgres: async (certificate: Certificate): Promise<void> => {
    await serveTls(servers.env.DATABASE_URL, certificate);
    await asked(servers.env.DATABASE_URL, (client) =>
      client.query(
        `select pg_terminate_backend(pid) from pg_stat_ssl join pg_stat_activity using (pid) where ssl`,
      ),
    );
  },
  redis: async ({ certificate, key }: Certificate): Promise<void> => {
    await admin.config('SET', 'tls-cert-file', certificate, 'tls-key-file', key);
    await admin.call('client', 'kill', 'type', 'normal');
  },
} as const;

/** The process's lines that match, without its first ones. */
function said(child: Spawned, line: RegExp, since = 0): readonly string[] {
  return child.lines.slice(since).filter((each) => line.test(each));
}

async function saysSoon(child: Spawned, line: RegExp, since = 0): Promise<void> {
  await eventually(
    () => Promise.resolve(said(child, line, since)),
    ({ length }) => length > 0,
    { everyMs: 200 },
  );
}

/** @returns the last line of a process that does not start */
async function refusalOf(
  app: (typeof apps)[number],
  settings: Readonly<Record<string, string>>,
): Promise<string> {
  const child = service.spawnReplica(app, settings);
  expect(await child.ended).toBe(1);
  return (JSON.parse(child.lines.at(-1) ?? '{}') as { readonly msg: string }).msg;
}

const faults = [
  ['has expired', { days: -1 }, /has expired: install a new one there/],
  ['names another host', { names: 'DNS:other.example' }, /names other hosts: write a host that/],
] as const;

describe.each([
  ['Postgres', 'postgres', apps],
  ['Redis', 'redis', usersOfRedis],
] as const)('a certificate of %s that is replaced while the service runs', (_, server, users) => {
  it.each(faults)(
    'and %s: each process says what to do, and comes back by itself',
    async (name, differs, words) => {
      const running = users.map((app) => service.child(app));
      const before = running.map(({ lines }) => lines.length);
      await serving[server](
        await certificateIn(folder, `${server}-${name.replaceAll(' ', '-')}`, {
          ...differs,
          beside: right,
        }),
      );
      for (const [index, child] of running.entries()) {
        await saysSoon(child, words, before[index]);
        await eventually(
          () => isReady(child),
          (ready) => !ready,
        );
      }
      const { status } = await service.merchant.collect({ reference: `${server} ${name}` });
      expect(status).toBe(503);
      await serving[server](right);
      await steadyAgain(service, performance.now());
      expect(running.filter((child) => child.hasEnded())).toEqual([]);
      if (server === 'redis')
        expect(running.map((child, index) => said(child, words, before[index]).length)).toEqual([
          1, 1,
        ]);
    },
    300_000,
  );
});

describe.each(apps)('the %s', (app) => {
  it('does not start on a Postgres whose authority it does not trust, and says what to do', async () => {
    const { authority } = await certificateIn(folder, `other-${app}`);
    expect(await refusalOf(app, { DATABASE_URL: databaseUrl({ authority }) })).toBe(
      'postgres is unavailable: its certificate was issued by an authority that is not trusted: name the authority’s file in sslrootcert of DATABASE_URL',
    );
  });

  it('does not start with a role that lacks a right, which it names', async () => {
    const role = `limited_${app}`;
    const grant = (client: { query: (sql: string) => Promise<unknown> }) =>
      client.query(
        `grant usage on schema records, ${viewSchema()} to ${role};
         grant select, insert, update, delete on all tables in schema records, ${viewSchema()} to ${role};
         revoke update on records.callback_inbox from ${role}`,
      );
    await asked(servers.env.DATABASE_URL, (client) =>
      client.query(`create role ${role} login password 'pl4in'`),
    );
    const refusal = () => refusalOf(app, { DATABASE_URL: databaseUrl({ user: role }) });
    const ending = /: as the owner, grant it the rights of docs\/how-to\/run-on-real-servers\.md/;
    expect(await refusal()).toMatch(
      new RegExp(`^DATABASE_URL: its role ${role} may not use schema records${ending.source}`),
    );
    await asked(servers.env.DATABASE_URL, grant);
    expect(await refusal()).toMatch(
      new RegExp(
        `^DATABASE_URL: its role ${role} may not read and write table records.callback_inbox${ending.source}`,
      ),
    );
  });
});

describe.each(usersOfRedis)('the %s on a Redis', (app) => {
  it.each([
    ['the user lacks a right', 'limited:pl4in@', /its user lacks a right: docs\/how-to\//],
    ['the password is wrong', 'limited:wrong@', /it refuses the user or the password: correct/],
  ])('starts, is not ready and says what to do if %s', async (_, user, line) => {
    await admin.call('acl', 'setuser', 'limited', 'on', '>pl4in', '~pesapost:*', '+@connection');
    const child = await service.startReplica(app, { REDIS_URL: redisUrl(user) });
    await saysSoon(child, line);
    expect(await isReady(child)).toBe(false);
    child.signal('SIGTERM');
    await child.ended;
  });
});
