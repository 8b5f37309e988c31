import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { identify } from '#infra/process-lock';
import { ServerError } from './server-process.js';

/** The sessions of a server that was killed end by themselves, within moments. */
const sessionsDeadlineMs = 10_000;
const pauseMs = 250;

/**
 * A server that was killed stays in the process table as a zombie until its parent asks after it; in a container
 * that may be never. Postgres sees a living process in it and refuses to start. Its own lock file is therefore
 * given the number of its coming parent, which it knows to be stale; what else stands in the file, by which it
 * finds sessions that still run, is left.
 */
export async function disownZombie(cluster: string): Promise<void> {
  const file = join(cluster, 'postmaster.pid');
  const text = await readFile(file, 'utf8').catch(() => '');
  const [first = '', ...rest] = text.split('\n');
  if (!/^\d+$/.test(first) || rest.length === 0) return;
  if ((await identify(Number(first))) === undefined)
    await writeFile(file, [String(process.pid), ...rest].join('\n'));
}

/** Repeats the start while sessions of a server that was killed are still there. */
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
