import { readdir, readFile } from 'node:fs/promises';

/** Clock ticks of /proc a second: USER_HZ, 100 on every Linux that Node runs on. */
const ticksPerSecond = 100;

/** What a process and all its descendants use. */
export interface Usage {
  /** Resident anonymous memory in MiB; mapped files are not in it. */
  readonly anonMb: number;
  /** Processor time since their start, those that have ended and were waited for included. */
  readonly cpuSeconds: number;
}

interface Process {
  readonly parent: number;
  readonly anonKb: number;
  readonly ticks: number;
}

/** Per name, what its process tree uses; empty where the system has no /proc. */
export async function usageOf(
  pids: Readonly<Record<string, number>>,
): Promise<ReadonlyMap<string, Usage>> {
  const processes = await allProcesses();
  const usage = new Map<string, Usage>();
  if (processes.size === 0) return usage;
  for (const [name, pid] of Object.entries(pids)) {
    const tree = [...treeOf(pid, processes)].map((member) => processes.get(member));
    const sum = (of: (member: Process) => number): number =>
      tree.reduce((total, member) => total + (member ? of(member) : 0), 0);
    usage.set(name, {
      anonMb: sum(({ anonKb }) => anonKb) / 1024,
      cpuSeconds: sum(({ ticks }) => ticks) / ticksPerSecond,
    });
  }
  return usage;
}

/** @returns null where the system does not tell */
export function totalAnonMb(usage: ReadonlyMap<string, Usage>): number | null {
  if (usage.size === 0) return null;
  return [...usage.values()].reduce((total, { anonMb }) => total + anonMb, 0);
}

/**
 * Processor time between two looks, per piece of work: unlike a rate it hardly depends on what else the machine
 * does.
 */
export function cpuPerPiece(
  before: ReadonlyMap<string, Usage>,
  after: ReadonlyMap<string, Usage>,
  pieces: number,
): string {
  return [...after]
    .map(([name, { cpuSeconds }]) => {
      const spent = cpuSeconds - (before.get(name)?.cpuSeconds ?? 0);
      return `${name} ${((spent * 1000) / pieces).toFixed(2)}`;
    })
    .join(', ');
}

function treeOf(root: number, processes: ReadonlyMap<number, Process>): Set<number> {
  const tree = new Set([root]);
  for (let size = 0; size !== tree.size;) {
    size = tree.size;
    for (const [pid, { parent }] of processes) if (tree.has(parent)) tree.add(pid);
  }
  return tree;
}

async function allProcesses(): Promise<Map<number, Process>> {
  const entries = await readdir('/proc').catch(() => [] as string[]);
  const found = new Map<number, Process>();
  for (const entry of entries) {
    if (!/^\d+$/.test(entry)) continue;
    // A process may end between the listing and the look.
    const [status, stat] = await Promise.all(
      ['status', 'stat'].map((file) => readFile(`/proc/${entry}/${file}`, 'utf8').catch(() => '')),
    );
    const field = (name: string): number =>
      Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status ?? '')?.[1] ?? 0);
    found.set(Number(entry), {
      parent: field('PPid'),
      anonKb: field('RssAnon'),
      ticks: ticksOf(stat ?? ''),
    });
  }
  return found;
}

/** utime, stime, cutime and cstime: the 14th to 17th field; the name before them may hold anything in parentheses. */
function ticksOf(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((total, ticks) => total + Number(ticks), 0);
}
