import { DependencyUnavailable } from '#domain/kernel';
import { freePort } from '#infra/local-servers';
import { createLogger } from '#infra/runtime';
import { eventually } from '#testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RedisStore } from './index.js';

/** A primary, its replica and three Sentinels with passwords; the primary is killed, and frozen. */
const [password, sentinelPassword] = ['of-the-data', 'of-the-sentinels'];
const processes = new Map<number, ChildProcess>();
let folder: string;
let ports: readonly number[];
let sentinels: readonly number[];
let store: RedisStore;

async function start(port: number, lines: readonly string[], ...more: string[]): Promise<void> {
  const home = join(folder, String(port));
  await mkdir(home, { recursive: true });
  const file = join(home, 'redis.conf');
  const common = ['bind 127.0.0.1', `port ${port}`, `dir ${home}`, 'save ""'];
  await writeFile(file, `${[...common, ...lines].join('\n')}\n`);
  processes.set(port, spawn('redis-server', [file, ...more], { stdio: 'ignore' }));
}

const dataServer = (primary?: number) => [
  ...['maxmemory-policy noeviction', `requirepass ${password}`, `masterauth ${password}`],
  ...(primary === undefined ? [] : [`replicaof 127.0.0.1 ${primary}`]),
];

/** `down-after-milliseconds` leaves room for a busy machine. */
const sentinel = (primary: number) => [
  `requirepass ${sentinelPassword}`,
  `sentinel sentinel-pass ${sentinelPassword}`,
  `sentinel monitor main 127.0.0.1 ${primary} 2`,
  `sentinel auth-pass main ${password}`,
  'sentinel down-after-milliseconds main 2000',
  'sentinel failover-timeout main 10000',
];

async function asked<T>(port: number, secret: string, ask: (client: Redis) => Promise<T>) {
  const client = new Redis({
    port,
    password: secret,
    lazyConnect: true,
    retryStrategy: () => null,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await ask(client);
  } finally {
    client.disconnect();
  }
}

/** @returns the primary's port, as the first Sentinel names it; undefined while it does not know the replica */
async function primaryOf(): Promise<number | undefined> {
  const known = await asked(sentinels[0] ?? 0, sentinelPassword, async (client) => {
    const address = (await client.call('sentinel', 'get-master-addr-by-name', 'main')) as string[];
    const replicas = (await client.call('sentinel', 'replicas', 'main')) as unknown[];
    const others = (await client.call('sentinel', 'sentinels', 'main')) as unknown[];
    return replicas.length === 1 && others.length === 2 ? Number(address[1]) : undefined;
  }).catch(() => undefined);
  return known;
}

const patience = { withinMs: 90_000 };

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pesapost-sentinel-'));
  ports = [await freePort(), await freePort()];
  sentinels = [await freePort(), await freePort(), await freePort()];
  const [primary = 0, replica = 0] = ports;
  await start(primary, dataServer());
  await start(replica, dataServer(primary));
  for (const port of sentinels) await start(port, sentinel(primary), '--sentinel');
  await eventually(primaryOf, (port) => port === primary, patience);
  const hosts = sentinels.map((port) => `127.0.0.1:${port}`).join();
  const url = `redis+sentinel://:${password}@${hosts}/main?sentinelPassword=${sentinelPassword}`;
  const logger = createLogger({ app: 'spec', level: 'silent' });
  store = await RedisStore.open({ url, logger, commandTimeoutMs: 5000 });
}, 120_000);
afterAll(async () => {
  await store.close();
  for (const child of processes.values()) {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
  await rm(folder, { recursive: true, force: true });
});

/** Writes until it succeeds. @returns the failures before that */
async function writtenAfter(key: string): Promise<readonly unknown[]> {
  const failures: unknown[] = [];
  await eventually(
    () =>
      store.set(key, 'there', 60_000).then(
        () => true,
        (error: unknown) => {
          failures.push(error);
          return false;
        },
      ),
    Boolean,
    patience,
  );
  return failures;
}

it('uses the primary that the Sentinels name, also after it was killed', async () => {
  await store.set('before', 'there', 600_000);
  const former = (await primaryOf()) ?? 0;
  await asked(former, password, (client) => client.wait(1, 5000));
  processes.get(former)?.kill('SIGKILL');
  const failures = await writtenAfter('after');
  for (const failure of failures) expect(failure).toBeInstanceOf(DependencyUnavailable);
  expect(await store.get('before')).toBe('there');
  const next = (await primaryOf()) ?? 0;
  expect(next).not.toBe(former);
  await start(former, dataServer(next));
  await eventually(primaryOf, (port) => port === next, patience);
}, 240_000);

it('leaves a primary that hangs, and does not return to it', async () => {
  const former = (await primaryOf()) ?? 0;
  const hanging = processes.get(former);
  hanging?.kill('SIGSTOP');
  await eventually(
    () => primaryOf(),
    (port) => port !== undefined && port !== former,
    patience,
  );
  const failures = await writtenAfter('meanwhile');
  for (const failure of failures) expect(failure).toBeInstanceOf(DependencyUnavailable);
  hanging?.kill('SIGCONT');
  const next = (await primaryOf()) ?? 0;
  await eventually(
    // A server that becomes a replica closes its connections.
    () => asked(former, password, (client) => client.role()).catch(() => undefined),
    (role) => role?.[0] === 'slave',
    patience,
  );
  expect(await store.get('meanwhile')).toBe('there');
  const [role] = await asked(next, password, (client) => client.role());
  expect(role).toBe('master');
}, 240_000);
