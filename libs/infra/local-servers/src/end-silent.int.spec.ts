import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import pg from 'pg';
import { Redis } from 'ioredis';
import { endSilent, PostgresServer, RedisServer } from './index.js';

async function inDirectory(work: (dataDir: string) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'pesapost-silent-'));
  await chmod(dataDir, 0o711);
  await work(dataDir).finally(() => rm(dataDir, { recursive: true, force: true }));
}

function childrenOf(pid: number): readonly number[] {
  const text = execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' });
  return text.trim().split('\n').map(Number);
}

it('a Postgres that is frozen with all its sessions is ended, and the next one has what was committed', () =>
  inDirectory(async (dataDir) => {
    const logFile = join(dataDir, 'postgres.log');
    const first = await PostgresServer.start({ dataDir, logFile });
    const client = new pg.Client({ connectionString: first.url });
    client.on('error', () => undefined);
    await client.connect();
    await client.query('create table kept (n int)');
    await client.query('insert into kept values (7)');
    for (const pid of [first.pid, ...childrenOf(first.pid)]) process.kill(pid, 'SIGSTOP');
    await endSilent('postgres', first.pid);
    // It was continued, so it shut down in order: no recovery, no lost page.
    expect(await first.exited).toBe('exit 0');
    const second = await PostgresServer.start({ dataDir, logFile });
    const again = new pg.Client({ connectionString: second.url });
    await again.connect();
    expect((await again.query('select n from kept')).rows).toEqual([{ n: 7 }]);
    await again.end();
    await second.stop();
  }));

it('a Redis that is frozen is ended, and the next one has what was acknowledged', () =>
  inDirectory(async (dataDir) => {
    const logFile = join(dataDir, 'redis.log');
    const first = await RedisServer.start({ dataDir, logFile });
    const client = new Redis(first.url, { retryStrategy: () => null });
    client.on('error', () => undefined);
    await client.set('nonce', 'seen');
    process.kill(first.pid, 'SIGSTOP');
    await endSilent('redis', first.pid);
    expect(await first.exited).toBe('exit 0');
    client.disconnect();
    const second = await RedisServer.start({ dataDir, logFile });
    const again = new Redis(second.url);
    expect(await again.get('nonce')).toBe('seen');
    again.disconnect();
    await second.stop();
  }));
