import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { claimFormat } from '../directory/format.js';
import { lockDirectory } from '../directory/lock.js';
import { UnusableDirectory } from '../directory/unusable-directory.js';
import { type Repair, repairTornCommit } from '../lmdb-file/repair.js';
import { EventLog } from './event-log.js';

export interface OpenStore {
  readonly log: EventLog;
  /** What had to be done to the log before it could be opened. */
  readonly repair: Exclude<Repair, 'beyond-repair'>;
  /** Closes the log and gives the directory free. */
  close(): Promise<void>;
}

/**
 * Opens the store in `directory`, which is created where it is missing.
 * @throws UnusableDirectory with one line for the person who started it
 */
export function openStore(directory: string): OpenStore {
  try {
    mkdirSync(directory, { recursive: true });
  } catch (error) {
    throw new UnusableDirectory(`${directory} cannot be created (${reasonOf(error)})`);
  }
  const lock = lockOrExplain(directory);
  try {
    claimFormat(directory);
    const repair = repairLog(directory);
    const log = new EventLog(join(directory, 'log'));
    return {
      repair,
      log,
      async close() {
        await log.close();
        lock.release();
      },
    };
  } catch (error) {
    lock.release();
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

function lockOrExplain(directory: string): ReturnType<typeof lockDirectory> {
  try {
    return lockDirectory(directory);
  } catch (error) {
    if (error instanceof UnusableDirectory) throw error;
    throw new UnusableDirectory(`${directory} cannot be written (${reasonOf(error)})`);
  }
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
