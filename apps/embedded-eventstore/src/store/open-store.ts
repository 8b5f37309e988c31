import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { takeLock } from '#infra/process-lock';
import { type Repair, repairTornCommit } from '../lmdb-file/repair.js';
import { EventLog } from './event-log.js';
import { claimFormat, UnusableDirectory } from './format.js';

export interface OpenStore {
  readonly log: EventLog;
  /** The repair of the log before it was opened. */
  readonly repair: Exclude<Repair, 'beyond-repair'>;
  /** Closes the log and releases the directory. */
  close(): Promise<void>;
}

/**
 * Opens the store in `directory`, which is created if it is missing.
 * @throws UnusableDirectory with one line for the person who started it
 */
export async function openStore(directory: string): Promise<OpenStore> {
  try {
    mkdirSync(directory, { recursive: true });
  } catch (error) {
    throw new UnusableDirectory(`${directory} cannot be created (${reasonOf(error)})`);
  }
  const release = await lock(directory);
  try {
    claimFormat(directory);
    const repair = repairLog(directory);
    const log = new EventLog(join(directory, 'log'));
    return {
      repair,
      log,
      async close() {
        await log.close();
        await release();
      },
    };
  } catch (error) {
    await release();
    if (error instanceof UnusableDirectory) throw error;
    throw new UnusableDirectory(
      `the event log in ${directory} cannot be opened (${reasonOf(error)})`,
    );
  }
}

function repairLog(directory: string): OpenStore['repair'] {
  const path = join(directory, 'log', 'data.mdb');
  const repair = repairTornCommit(path);
  if (repair === 'beyond-repair') {
    throw new UnusableDirectory(
      `${path} is damaged in more than its last write: restore a copy of it`,
    );
  }
  return repair;
}

/** @returns a function that releases the directory */
async function lock(directory: string): Promise<() => Promise<void>> {
  const taken = await takeLock(join(directory, 'owner.json')).catch((error: unknown) => {
    throw new UnusableDirectory(`${directory} cannot be written (${reasonOf(error)})`);
  });
  if ('release' in taken) return taken.release;
  throw new UnusableDirectory(
    taken.owner === 'several'
      ? `${directory} is being taken by several processes at once: try again`
      : `${directory} is in use by another event store (process ${taken.owner}): stop it, or name another directory`,
  );
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
