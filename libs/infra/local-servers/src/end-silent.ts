import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { identify, isRunning, type ProcessIdentity } from '#infra/process-lock';

/** Signals in this order, each after a wait for the previous one; see `leftOver` of each server for their meaning. */
const gentle = { postgres: ['SIGINT', 'SIGQUIT'], redis: ['SIGTERM'] } as const;
const waitMs = 8000;

/**
 * Ends a server that does not answer. It first sends SIGCONT: a server that was only stopped then shuts down in order,
 * and needs no recovery. Any other server is killed, with its child processes, since a session that lives on would keep
 * the next server from starting. All acknowledged data are in the write-ahead log, or the append-only file, by then.
 */
export async function endSilent(server: keyof typeof gentle, pid: number): Promise<void> {
  const own = await identify(pid);
  if (own === undefined) return;
  const sessions = await childrenOf(pid);
  for (const signal of gentle[server]) {
    signalAll([own], signal);
    signalAll([own, ...sessions], 'SIGCONT');
    if (await hasEnded(own)) return;
  }
  signalAll([own, ...sessions, ...(await childrenOf(pid))], 'SIGKILL');
}

async function hasEnded(identity: ProcessIdentity): Promise<boolean> {
  const giveUpAt = performance.now() + waitMs;
  while (performance.now() < giveUpAt) {
    if (!(await isRunning(identity))) return true;
    await sleep(50);
  }
  return false;
}

function signalAll(processes: readonly ProcessIdentity[], signal: NodeJS.Signals): void {
  for (const { pid } of processes)
    try {
      process.kill(pid, signal);
    } catch {
      // It ended between the check and the signal.
    }
}

/** Empty if there is no /proc: on such a system, the sessions of a killed server notice its end themselves, if they run. */
async function childrenOf(parent: number): Promise<readonly ProcessIdentity[]> {
  const names = await readdir('/proc').catch(() => []);
  const found = await Promise.all(
    names
      .filter((name) => /^\d+$/.test(name))
      .map(async (name) => {
        const stat = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
        const [, parentPid] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
        return Number(parentPid) === parent ? identify(Number(name)) : undefined;
      }),
  );
  return found.filter((identity) => identity !== undefined);
}
