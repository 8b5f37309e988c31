import { readdir, readFile } from 'node:fs/promises';
import { type Cost } from '../measurement.js';
import { sumOf } from '../statistics.js';

/** Clock ticks of /proc a second: USER_HZ, 100 on every Linux that Node runs on. */
const ticksPerSecond = 100;

/** The usage of a process and its descendants, except those that have a name of their own. */
export interface Usage {
  /** Resident anonymous memory in MiB, without mapped files. */
  readonly anonMb: number;
  /** Processor time since their start, including that of ended processes that were waited for. */
  readonly cpuSeconds: number;
}

interface Process {
  readonly parent: number;
  readonly anonKb: number;
  readonly ticks: number;
}

/** Returns, by name, the usage of the process tree; empty if the system has no /proc. */
export async function usageOf(
  pids: Readonly<Record<string, number>>,
): Promise<ReadonlyMap<string, Usage>> {
  const processes = await allProcesses();
  const usage = new Map<string, Usage>();
  if (processes.size === 0) return usage;
  const named = new Set(Object.values(pids));
  for (const [name, pid] of Object.entries(pids)) {
    const tree = [...treeOf(pid, processes, named)].map((member) => processes.get(member));
    const sum = (of: (member: Process) => number): number =>
      tree.reduce((total, member) => total + (member ? of(member) : 0), 0);
    usage.set(name, {
      anonMb: sum(({ anonKb }) => anonKb) / 1024,
      cpuSeconds: sum(({ ticks }) => ticks) / ticksPerSecond,
    });
  }
  return usage;
}

/** @returns null if the system does not report it */
export function totalAnonMb(usage: ReadonlyMap<string, Usage>): number | null {
  if (usage.size === 0) return null;
  return [...usage.values()].reduce((total, { anonMb }) => total + anonMb, 0);
}

/** Seconds of processor time, per process. */
export type Spent = ReadonlyMap<string, number>;

/**
 * Returns the processor time between two readings. Unlike a rate, it hardly depends on the machine's other load. A
 * process that the first reading did not include counts from its start.
 */
export function spentBetween(
  before: ReadonlyMap<string, Usage>,
  after: ReadonlyMap<string, Usage>,
): Spent {
  return new Map(
    [...after].map(([name, { cpuSeconds }]) => [
      name,
      cpuSeconds - (before.get(name)?.cpuSeconds ?? 0),
    ]),
  );
}

/** Returns the total over several bursts, process by process. */
export function addUp(spans: readonly Spent[]): Spent {
  const total = new Map<string, number>();
  for (const span of spans)
    for (const [name, seconds] of span) total.set(name, (total.get(name) ?? 0) + seconds);
  return total;
}

/** Returns the milliseconds of all processes for one piece of work. */
export function msPerPiece(spent: Spent, pieces: number): number {
  return sumOf([...spent.values()], (seconds) => (seconds * 1000) / pieces);
}

/** Returns the milliseconds of each process for one piece of work. */
export function costOf(of: string, spent: Spent, pieces: number): Cost {
  const ms = [...spent].map(([name, seconds]) => [name, (seconds * 1000) / pieces] as const);
  return { of, ms: Object.fromEntries(ms) };
}

/** Describes the milliseconds of each process for one piece of work, and of all. */
export function describe(spent: Spent, pieces: number): string {
  return describeCost(costOf('', spent, pieces));
}

/** Describes the milliseconds of each process, and of all. */
export function describeCost({ ms }: Cost): string {
  const each = Object.entries(ms).map(([name, its]) => `${name} ${its.toFixed(2)}`);
  return `${sumOf(Object.values(ms), (its) => its).toFixed(2)} (${each.join(', ')})`;
}

function treeOf(
  root: number,
  processes: ReadonlyMap<number, Process>,
  named: ReadonlySet<number>,
): Set<number> {
  const tree = new Set([root]);
  for (let size = 0; size !== tree.size;) {
    size = tree.size;
    for (const [pid, { parent }] of processes)
      if (tree.has(parent) && !named.has(pid)) tree.add(pid);
  }
  return tree;
}

async function allProcesses(): Promise<Map<number, Process>> {
  const entries = await readdir('/proc').catch(() => [] as string[]);
  const found = new Map<number, Process>();
  for (const entry of entries) {
    if (!/^\d+$/.test(entry)) continue;
    // A process may end between the listing and its reading.
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

/**
 * utime, stime, cutime and cstime: the 14th to 17th field. The name before them may contain anything in parentheses.
 */
function ticksOf(stat: string): number {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((total, ticks) => total + Number(ticks), 0);
}
