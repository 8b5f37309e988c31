import { execFile } from 'node:child_process';
import { rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { requireProgram } from './program.js';

/** The wall clock of the processes that are started with `env`. A test moves it while they run. */
export interface MovedClock {
  readonly env: Readonly<Record<string, string>>;
  /** @param seconds ahead of the machine's clock; negative for behind */
  move(seconds: number): Promise<void>;
}

/** Installs Debian's faketime if it is missing. */
export async function requireFaketime(): Promise<void> {
  await requireProgram('faketime');
}

/**
 * A clock that agrees with the machine's until it is moved. Timers and `performance.now()` keep the machine's monotonic
 * clock, as they do if a person or NTP sets a machine's clock.
 * @param folder for its file
 */
export async function movedClock(folder: string, name: string): Promise<MovedClock> {
  const { stdout } = await promisify(execFile)('faketime', [
    ...['-m', '-f', '+0', 'printenv', 'LD_PRELOAD'],
  ]);
  const file = join(folder, `clock-of-${name}`);
  const move = async (seconds: number): Promise<void> => {
    // A process that reads it meanwhile sees the one or the other.
    await writeFile(`${file}.new`, `${seconds < 0 ? '' : '+'}${seconds}\n`);
    await rename(`${file}.new`, file);
  };
  await move(0);
  return {
    env: {
      LD_PRELOAD: stdout.trim(),
      FAKETIME_TIMESTAMP_FILE: file,
      // A process sees a new time within a second.
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
    },
    move,
  };
}
