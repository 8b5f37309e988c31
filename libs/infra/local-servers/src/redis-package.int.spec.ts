import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { freePort } from './free-port.js';
import { unpackedRedis } from './redis-package.js';
import { ServerProcess } from './server-process.js';

const run = promisify(execFile);

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pesapost-redis-package-'));
  await chmod(folder, 0o755);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** True if this machine can download packages at all: it has apt, and apt reaches its mirror. */
async function canDownload(): Promise<boolean> {
  const options = { cwd: folder, timeout: 120_000 };
  return run('apt-get', ['download', 'redis-tools'], options).then(
    () => true,
    () => false,
  );
}

describe('Redis for somebody who may not install it', () => {
  it('is downloaded, taken apart and run from there with its own libraries; or there is none, and no half of one', async () => {
    const told: string[] = [];
    const home = join(folder, 'redis-package');
    const program = await unpackedRedis(home, (what) => told.push(what));
    if (!program) {
      expect(await canDownload()).toBe(false);
      return;
    }
    expect(told[0]).toBe('apt-get download redis-server');
    expect(program.command.startsWith(home)).toBe(true);
    const port = await freePort();
    const server = await ServerProcess.start({
      name: 'Redis',
      ...program,
      args: ['--port', String(port), '--bind', '127.0.0.1', '--save', ''],
      cwd: folder,
      logFile: join(folder, 'redis.log'),
      pidFile: join(folder, 'redis.pid.json'),
      stopSignals: ['SIGTERM', 'SIGKILL'],
      stopWaitMs: 8_000,
      startDeadlineMs: 60_000,
      ready: () => ping(port),
    });
    const { stdout } = await run('cat', [`/proc/${server.pid}/maps`]);
    expect(stdout).toMatch(new RegExp(`${home}/root/.*libjemalloc`));
    await server.stop();

    // Once is enough: the next start finds it.
    told.length = 0;
    expect(await unpackedRedis(home, (what) => told.push(what))).toEqual(program);
    expect(told).toEqual([]);
  }, 600_000);
});

async function ping(port: number): Promise<void> {
  const client = new Redis(port, '127.0.0.1', { retryStrategy: () => null, lazyConnect: true });
  client.on('error', () => undefined);
  try {
    await client.connect();
    expect(await client.ping()).toBe('PONG');
  } finally {
    client.disconnect();
  }
}
