import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasCode } from './error-code.js';
import { isAlive, ownIdentity, type ProcessIdentity } from './process-identity.js';
import { UnusableDirectory } from './unusable-directory.js';

/** Attempts at a lock that others fight for at the same moment. */
const ATTEMPTS = 10;

function parseOwner(text: string): ProcessIdentity | undefined {
  try {
    const owner: unknown = JSON.parse(text);
    if (typeof owner !== 'object' || owner === null) return undefined;
    const { pid, started } = owner as Partial<ProcessIdentity>;
    return typeof pid === 'number' && typeof started === 'string' ? { pid, started } : undefined;
  } catch {
    return undefined;
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * Makes the directory this process's own until it ends, however it ends: the lock names its owner, and that of
 * a dead process is taken over. The file appears complete (by link) and a stale one is moved away before it is
 * judged again, so of several processes that start together one wins.
 * @throws UnusableDirectory where a living process owns it
 */
export function lockDirectory(directory: string): { release(): void } {
  const lock = join(directory, 'owner.json');
  const own = JSON.stringify(ownIdentity());
  const mine = `${lock}.${process.pid}`;
  writeFileSync(mine, own);
  try {
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (tryLink(mine, lock))
        return {
          release: () => {
            release(lock, own);
          },
        };
      const found = readIfThere(lock);
      if (found === undefined) continue;
      const owner = parseOwner(found);
      if (owner !== undefined && isAlive(owner)) {
        throw new UnusableDirectory(
          `${directory} is in use by another event store (process ${owner.pid}): stop it, or name another directory`,
        );
      }
      moveAway(lock, found);
    }
    throw new UnusableDirectory(
      `${directory} is being taken by several processes at once: try again`,
    );
  } finally {
    rmSync(mine, { force: true });
  }
}

function tryLink(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Removes the stale lock, or puts it back where another process had replaced it meanwhile. */
function moveAway(lock: string, stale: string): void {
  const aside = `${lock}.stale.${process.pid}`;
  try {
    renameSync(lock, aside);
  } catch {
    return;
  }
  if (readIfThere(aside) !== stale) tryLink(aside, lock);
  rmSync(aside, { force: true });
}

function release(lock: string, own: string): void {
  if (readIfThere(lock) === own) rmSync(lock, { force: true });
}
