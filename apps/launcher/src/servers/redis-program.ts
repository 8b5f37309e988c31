import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { ServerError } from './server-process.js';

const names = ['redis-server', 'valkey-server'];
/** Where package managers put servers, besides the PATH of the user who runs us. */
const usualFolders = ['/usr/bin', '/usr/local/bin', '/usr/sbin', '/opt/homebrew/bin'];
const installDeadlineMs = 300_000;

/** What installs Redis on each kind of system, and whether it needs root. */
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
 * Finds a Redis or Valkey server, or installs one by the system's package manager where that needs no
 * password.
 * @param onInstall told before something is installed
 * @throws ServerError that says what to install
 */
export async function redisProgram(onInstall: (what: string) => void): Promise<string> {
  const found = await findProgram(names);
  if (found) return found;
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
      // Without a network or a right to install: the line below says what a person can do.
    }
    const installed = await findProgram(names);
    if (installed) return installed;
  }
  throw new ServerError(
    'Redis was not found: install it (apt-get install redis-server, dnf install redis, brew install redis), or set REDIS_URL to a server',
  );
}

async function findProgram(candidates: readonly string[]): Promise<string | undefined> {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), ...usualFolders];
  for (const name of candidates)
    for (const folder of folders) {
      const path = join(folder, name);
      if (folder !== '' && (await isExecutable(path))) return path;
    }
  return undefined;
}

async function isExecutable(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
