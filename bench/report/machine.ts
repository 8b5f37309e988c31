import { execFile } from 'node:child_process';
import os from 'node:os';
import { promisify } from 'node:util';
import { Redis } from 'ioredis';
import pg from 'pg';
import { packageDirectory } from '#infra/runtime';
import { type Fixture } from '../servers/fixture.js';
import { type Machine } from './results.js';

const gigabyte = 1024 ** 3;

/**
 * Returns the machine as the page shows it. The kernel's release is cut to its version: a new build of the same kernel is no
 * other machine, and a page of another machine begins anew.
 */
export async function machineOf(fixture: Fixture): Promise<Machine> {
  const processors = os.cpus();
  return {
    processor: processors[0]?.model.trim() ?? 'unknown',
    processors: processors.length,
    memoryGb: Math.round(os.totalmem() / gigabyte),
    system: `${os.type()} ${/^[\d.]+/.exec(os.release())?.[0] ?? os.release()} ${os.arch()}`,
    programs: [
      `Node ${process.versions.node}`,
      `Postgres ${await postgresVersion((await fixture.postgres()).url)}`,
      `Redis ${await redisVersion((await fixture.redis()).url)}`,
    ],
  };
}

/** Returns the commit that is checked out, with `+` if files differ from it, or `unknown` outside of a repository. */
export async function commitOf(): Promise<string> {
  const git = async (...words: string[]): Promise<string> =>
    (await promisify(execFile)('git', words, { cwd: packageDirectory() })).stdout.trim();
  try {
    const changed = await git('status', '--porcelain', '--', ':!docs/benchmarks');
    return `${await git('rev-parse', '--short', 'HEAD')}${changed === '' ? '' : '+'}`;
  } catch {
    return 'unknown';
  }
}

async function postgresVersion(url: string): Promise<string> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    return rows[0]?.server_version.split(' ')[0] ?? 'unknown';
  } finally {
    await client.end();
  }
}

async function redisVersion(url: string): Promise<string> {
  const redis = new Redis(url);
  try {
    return /redis_version:(\S+)/.exec(await redis.info('server'))?.[1] ?? 'unknown';
  } finally {
    redis.disconnect();
  }
}
