import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

/** A process, not just a number: pids are used again, start times are not. */
export interface ProcessIdentity {
  readonly pid: number;
  readonly startedAt: string;
}

/** @returns undefined where no such process runs */
export async function identify(pid: number): Promise<ProcessIdentity | undefined> {
  const startedAt = await (process.platform === 'linux' ? fromProc(pid) : fromPs(pid));
  return startedAt === undefined ? undefined : { pid, startedAt };
}

/** Whether this very process still runs. */
export async function isRunning(identity: ProcessIdentity): Promise<boolean> {
  return (await identify(identity.pid))?.startedAt === identity.startedAt;
}

/** Field 22 of /proc/<pid>/stat counts ticks since boot, so the boot is part of the answer. */
async function fromProc(pid: number): Promise<string | undefined> {
  try {
    const [stat, boot] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => ''),
    ]);
    // The name in parentheses may hold spaces; what follows the last one is fields 3 and on.
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
