import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { claimFormat } from '../directory/format.js';
import { lockDirectory } from '../directory/lock.js';
import { UnusableDirectory } from '../directory/unusable-directory.js';
import { EventLog } from './event-log.js';

export interface OpenStore {
  readonly log: EventLog;
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
    const log = new EventLog(join(directory, 'log'));
    return {
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
