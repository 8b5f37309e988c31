import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** A process, not just a number: pids are reused, start times are not. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The boot and the ticks since it; if the system gives less, the time of the start. */
  readonly startedAt: string;
  /** The same without the boot: event stores of earlier releases write and read only this in their lock. */
  readonly started: string;
}

/** An identity in a file; an earlier release's file has one of the two times. */
export type NotedIdentity = Pick<ProcessIdentity, 'pid'> &
  (Pick<ProcessIdentity, 'startedAt'> | Pick<ProcessIdentity, 'started'>);

/** @returns undefined if no such process runs */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const startedAt = await (process.platform === 'linux' ? fromProc(pid) : fromPs(pid));
  if (startedAt === undefined) return undefined;
  return { pid, startedAt, started: startedAt.slice(startedAt.lastIndexOf('/') + 1) };
}

/** True if this very process still runs. */
export async function isRunning(noted: NotedIdentity): Promise<boolean> {
  const found = await identify(noted.pid);
  return 'startedAt' in noted
    ? found?.startedAt === noted.startedAt
    : found?.started === noted.started;
}

/** @returns undefined if the text is no identity, such as one that a crash left torn */
export function parseIdentity(text: string): NotedIdentity | undefined {
  try {
    const { pid, startedAt, started } = JSON.parse(text) as Partial<ProcessIdentity>;
    if (typeof pid !== 'number') return undefined;
    if (typeof startedAt === 'string') return { pid, startedAt };
    return typeof started === 'string' ? { pid, started } : undefined;
  } catch {
    return undefined;
  }
}

/** Field 22 of /proc/<pid>/stat counts ticks since boot, so the boot is part of the answer. */
async function fromProc(pid: number): Promise<string | undefined> {
  try {
    const [stat, boot] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''),
    ]);
    // The name in parentheses may contain spaces; fields 3 and on follow the last parenthesis.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, ticks] = [fields[0], fields[19]];
    return state === 'Z' || state === 'X' ? undefined : `${boot.trim()}/${ticks ?? ''}`;
  } catch {
    return undefined;
  }
}

async function fromPs(pid: number): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-o', 'lstart=', '-p', String(pid)], {
      timeout: 5000,
    });
    return stdout.trim() === '' ? undefined : stdout.trim();
  } catch {
    return undefined;
  }
}
