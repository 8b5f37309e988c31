import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { StartRefused } from '../refusal.js';
import { identify, isRunning, type ProcessIdentity } from '#infra/local-servers';
import { type DataDirectory } from './data-directory.js';

/** Tries at a lock that several starts fight for at the same moment. */
const attempts = 10;

/**
 * Makes the directory this process's own until it ends, however it ends: the lock names pid and start time,
 * and that of a dead process is taken over. It appears complete (by link), and a stale one is moved away
 * before it is judged again, so of several starts one wins.
 * @returns how to give it back
 * @throws StartRefused where a living process has it
 */
export async function lockDataDirectory(directory: DataDirectory): Promise<() => Promise<void>> {
  const lock = directory.join('launcher.lock');
  const own = JSON.stringify(await identify(process.pid));
  const mine = `${lock}.${process.pid}`;
  await writeFile(mine, own, { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < attempts; attempt++) {
      if (await tryLink(mine, lock))
        return async () => {
          if ((await readIfThere(lock)) === own) await rm(lock, { force: true });
        };
      const found = await readIfThere(lock);
      if (found === undefined) continue;
      const owner = parseIdentity(found);
      if (owner && (await isRunning(owner)))
        throw new StartRefused(
          `DATA_DIR: ${directory.path} is in use by another npm start (pid ${owner.pid}): stop that one, or give this one a DATA_DIR and ports of its own`,
        );
      await moveAway(lock, found);
    }
    throw new StartRefused(
      `DATA_DIR: ${directory.path} is being taken by several starts at once: try again`,
    );
  } finally {
    await rm(mine, { force: true });
  }
}

async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** Removes the stale lock, or puts it back where another start had replaced it meanwhile. */
async function moveAway(lock: string, stale: string): Promise<void> {
  const aside = `${lock}.stale.${process.pid}`;
  try {
    await rename(lock, aside);
  } catch {
    return;
  }
  if ((await readIfThere(aside)) !== stale) await tryLink(aside, lock);
  await rm(aside, { force: true });
}

async function readIfThere(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}

function parseIdentity(text: string): ProcessIdentity | undefined {
  try {
    const { pid, startedAt } = JSON.parse(text) as Partial<ProcessIdentity>;
    return typeof pid === 'number' && typeof startedAt === 'string'
      ? { pid, startedAt }
      : undefined;
  } catch {
    return undefined;
  }
}
