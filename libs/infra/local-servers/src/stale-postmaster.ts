import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { identify } from '#infra/process-lock';
import { ServerError } from './server-process.js';

/** The sessions of a killed server end by themselves, within moments. */
const sessionsDeadlineMs = 10_000;
const pauseMs = 250;

/**
 * A killed server stays in the process table as a zombie until its parent waits for it; in a container that may never
 * happen. Postgres takes the zombie for a living process and refuses to start. So this writes the number of the coming
 * parent into Postgres's lock file, which Postgres knows to be stale. The rest of the file stays, since Postgres finds
 * sessions that still run by it.
 */
export async function disownZombie(cluster: string): Promise<void> {
  const file = join(cluster, 'postmaster.pid');
  const text = await readFile(file, 'utf8').catch(() => '');
  const [first = '', ...rest] = text.split('\n');
  if (!/^\d+$/.test(first) || rest.length === 0) return;
  if ((await identify(Number(first))) === undefined)
    await writeFile(file, [String(process.pid), ...rest].join('\n'));
}

/** Repeats the start while sessions of a killed server still exist. */
export async function onceSessionsEnded<T>(
  start: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  const giveUpAt = performance.now() + sessionsDeadlineMs;
  for (;;) {
    try {
      return await start();
    } catch (error) {
      const isHeld = error instanceof ServerError && error.message.includes('shared memory block');
      if (!isHeld || performance.now() > giveUpAt) throw error;
      await sleep(pauseMs, undefined, { signal });
    }
  }
}
