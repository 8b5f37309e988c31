import { link, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { identify, isRunning, parseIdentity } from './process-identity.js';

/** Number of attempts at a lock that several processes want at the same moment. */
const attempts = 10;

/** The lock, or its holder: the pid of a living process, or several that compete for it. */
export type Taken =
  { readonly release: () => Promise<void> } | { readonly owner: number | 'several' };

/**
 * Takes the lock for this process until it ends, in any way. The file contains pid and start time, and a dead process's
 * file is taken over. The file appears complete (by link). A stale one is moved away before it is judged again, so only
 * one of several processes wins.
 */
export async function takeLock(lock: string): Promise<Taken> {
  const own = JSON.stringify((await identify(process.pid)) ?? { pid: process.pid });
  const mine = `${lock}.${process.pid}`;
  await writeFile(mine, own, { mode: 0o600 });
  try {
    for (let attempt = 0; attempt < attempts; attempt++) {
      if (await tryLink(mine, lock)) return { release: () => release(lock, own) };
      const found = await readIfThere(lock);
      if (found === undefined) continue;
      const owner = parseIdentity(found);
      if (owner && (await isRunning(owner))) return { owner: owner.pid };
      await moveAway(lock, found);
    }
    return { owner: 'several' };
  } finally {
    await rm(mine, { force: true });
  }
}

async function release(lock: string, own: string): Promise<void> {
  if ((await readIfThere(lock)) === own) await rm(lock, { force: true });
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

/** Removes the stale lock, or restores it if another process had replaced it meanwhile. */
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
