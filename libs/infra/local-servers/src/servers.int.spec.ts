import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { identify, isRunning } from '#infra/process-lock';
import { PostgresServer } from './postgres-server.js';
import { RedisServer } from './redis-server.js';

let dataDir: string;
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'pesapost-servers-'));
  await chmod(dataDir, 0o711);
});
afterAll(async () => {
  await rm(dataDir, { recursive: true, force: true });
});

const options = () => ({ dataDir, logFile: join(dataDir, 'server.log') });

async function ask(url: string, statement: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Record<string, unknown>>(statement)).rows;
  } finally {
    await client.end();
  }
}

async function withRedis<T>(url: string, work: (client: Redis) => Promise<T>): Promise<T> {
  const client = new Redis(url, { enableReadyCheck: false, retryStrategy: () => null });
  try {
    return await work(client);
  } finally {
    client.disconnect();
  }
}

describe('the embedded Postgres', () => {
  it('is durable, sorts by code point, and keeps its data and password over a restart', async () => {
    const first = await PostgresServer.start(options());
    expect(
      await ask(
        first.url,
        `select current_setting('fsync') || current_setting('synchronous_commit') as on`,
      ),
    ).toEqual([{ on: 'onon' }]);
    expect(await ask(first.url, `select 'Z' < 'a' as by_code_point`)).toEqual([
      { by_code_point: true },
    ]);
    await ask(first.url, 'create table kept (n int); insert into kept values (7)');
    await first.stop();
    const second = await PostgresServer.start(options());
    expect(await ask(second.url, 'select n from kept')).toEqual([{ n: 7 }]);
    expect((await stat(join(dataDir, 'postgres.password'))).mode & 0o077).toBe(0);
    await second.stop();
  });

  it('is stopped by the next start if it was left over, and its committed data are there', async () => {
    const leftOver = await PostgresServer.start(options());
    await ask(leftOver.url, 'insert into kept values (8)');
    const identity = await identify(leftOver.pid);
    const next = await PostgresServer.start(options());
    if (!identity) throw new Error('the server has no identity');
    expect(await isRunning(identity)).toBe(false);
    expect(await ask(next.url, 'select sum(n)::int as sum from kept')).toEqual([{ sum: 15 }]);
    await next.stop();
  });

  it('comes up again after a SIGKILL', async () => {
    const killed = await PostgresServer.start(options());
    await ask(killed.url, 'insert into kept values (9)');
    process.kill(killed.pid, 'SIGKILL');
    await killed.exited;
    const next = await PostgresServer.start(options());
    expect(await ask(next.url, 'select sum(n)::int as sum from kept')).toEqual([{ sum: 24 }]);
    await next.stop();
  });

  it('rejects a client without the password', async () => {
    const server = await PostgresServer.start(options());
    const url = new URL(server.url);
    url.password = 'guessed';
    await expect(ask(url.href, 'select 1')).rejects.toThrow(/password authentication failed/);
    await server.stop();
  });
});

describe('the embedded Redis', () => {
  it('evicts nothing, appends to its file, asks for a password, and keeps its keys', async () => {
    const first = await RedisServer.start(options());
    await withRedis(first.url, async (client) => {
      expect(await client.config('GET', 'maxmemory-policy')).toEqual([
        'maxmemory-policy',
        'noeviction',
      ]);
      // A create makes a nonce and a claim of at most 320 bytes, which count for 915 s (docs/adr/0024).
      const [, maxMemory = ''] = await client.config('GET', 'maxmemory');
      expect(Number(maxMemory) / 4 / (2 * 320 * 915)).toBeGreaterThan(900);
      expect(await client.config('GET', 'appendonly')).toEqual(['appendonly', 'yes']);
      await client.set('kept', '1');
    });
    const unauthenticated = first.url.replace(/\/\/.*@/, '//');
    await withRedis(unauthenticated, async (client) => {
      client.on('error', () => undefined);
      await expect(client.get('kept')).rejects.toThrow(/NOAUTH/);
    });
    await first.stop();
    const second = await RedisServer.start(options());
    expect(await withRedis(second.url, (client) => client.get('kept'))).toBe('1');
    await second.stop();
  });

  it('is stopped by the next start if it was left over', async () => {
    const leftOver = await RedisServer.start(options());
    const identity = await identify(leftOver.pid);
    const next = await RedisServer.start(options());
    if (!identity) throw new Error('the server has no identity');
    expect(await isRunning(identity)).toBe(false);
    await next.stop();
  });

  it('leaves another process alone that has the pid of a server long gone', async () => {
    const another = spawn('sleep', ['60']);
    const pid = another.pid ?? 0;
    await writeFile(
      join(dataDir, 'redis.pid.json'),
      JSON.stringify({ pid, startedAt: 'another time' }),
    );
    const server = await RedisServer.start(options());
    expect(another.exitCode).toBeNull();
    expect(await identify(pid)).toBeDefined();
    expect(JSON.parse(await readFile(join(dataDir, 'redis.pid.json'), 'utf8'))).toMatchObject({
      pid: server.pid,
    });
    await server.stop();
    another.kill();
  });
});
