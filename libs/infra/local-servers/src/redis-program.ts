import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { findProgram } from './find-program.js';
import { type ServerProgram, unpackedRedis } from './redis-package.js';
import { ServerError } from './server-process.js';

const names = ['redis-server', 'valkey-server'];
const installDeadlineMs = 300_000;

/** Commands that install Redis on each kind of system, and whether they need root. */
const installers = [
  {
    program: 'apt-get',
    steps: [['update'], ['install', '-y', '--no-install-recommends', 'redis-server']],
    root: true,
  },
  { program: 'dnf', steps: [['install', '-y', 'redis']], root: true },
  { program: 'apk', steps: [['add', 'redis']], root: true },
  { program: 'brew', steps: [['install', 'redis']], root: false },
] as const;

/**
 * Finds a Redis or Valkey server. If there is none, installs one by the system's package manager if that needs no
 * password, or unpacks one into a folder of ours if any user may download packages.
 * @param folder for the unpacked files
 * @param onInstall called before an installation or download
 * @throws ServerError that says what to install
 */
export async function redisProgram(
  folder: string,
  onInstall: (what: string) => void,
): Promise<ServerProgram> {
  const command = (await findProgram(names)) ?? (await installed(onInstall));
  if (command !== undefined) return { command, env: {} };
  const unpacked = await unpackedRedis(folder, onInstall);
  if (unpacked) return unpacked;
  throw new ServerError(
    'Redis was not found: install it (apt-get install redis-server, dnf install redis, brew install redis), or set REDIS_URL to a server',
  );
}

async function installed(onInstall: (what: string) => void): Promise<string | undefined> {
  const isRoot = process.getuid?.() === 0;
  for (const { program, steps, root } of installers) {
    const path = await findProgram([program]);
    if (path === undefined || (root && !isRoot)) continue;
    onInstall(`${program} install redis`);
    try {
      for (const args of steps)
        await promisify(execFile)(path, [...args], {
          timeout: installDeadlineMs,
          maxBuffer: 64 * 1024 * 1024,
          env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
        });
    } catch {
      // Without a network or the right to install, unpack a package; if that fails, a message says what a person can
      // do.
    }
    const found = await findProgram(names);
    if (found !== undefined) return found;
  }
  return undefined;
}
