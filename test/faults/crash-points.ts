import { withDeadline } from '#infra/runtime';
import { type Service, type Spawned } from '#testing';
import { expect } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';

/** The `pass`-th passing of a crash point, counted from the process's start. */
export interface Passing {
  readonly point: string;
  readonly pass: number;
}

type Replica = Parameters<Service['spawnReplica']>[0];
type ReplicaSettings = Readonly<Record<string, string>>;

/** A process with work dies within moments, or it did not pass its point. */
const deathDeadlineMs = 60_000;
/** A command has to start first, which takes seconds if the machine is busy. */
const commandDeadlineMs = 90_000;

/** The points that a process with `CRASH_AT=trace` has passed so far, in order. */
export function passingsOf({ lines }: Pick<Spawned, 'lines'>): Passing[] {
  return lines.filter((line) => line.includes('"passed a crash point"')).map(parsePassing);
}

function parsePassing(line: string): Passing {
  const { point, pass } = JSON.parse(line) as Passing;
  return { point, pass };
}

/**
 * Waits for a process's work after the answer: on a busy machine it comes late. The work is over when each call that
 * began has returned, or after 10 s.
 */
export async function callsReturned(process: Pick<Spawned, 'lines'>): Promise<void> {
  const begun = () =>
    passingsOf(process).reduce((open, { point }) => open + (point.endsWith(':before') ? 1 : -1), 0);
  const endsAt = performance.now() + 10_000;
  await sleep(300);
  while (begun() > 0 && performance.now() < endsAt) await sleep(50);
}

/** An API's own work each second: it checks if V3 is retired, and writes its counts of V3's calls. */
const besideRequests = /^postgres:(v3-|begin:|commit:)/;

/** The points that it has passed since it listened: for an API, all those of its requests. */
export function sinceListening({ lines }: Pick<Spawned, 'lines'>): Passing[] {
  const listening = lines.findIndex((line) => line.includes('"listening"'));
  const passings = passingsOf({ lines: lines.slice(listening) });
  return passings.filter(({ point }) => !besideRequests.test(point));
}

/**
 * For a process that polls: each point's first passing from the first one of `from` on, without the points that `idle`
 * loops pass again and again.
 */
export function firstSince(passings: readonly Passing[], from: string, idle: RegExp): Passing[] {
  const begin = passings.findIndex(({ point }) => point === from);
  if (begin < 0) throw new Error(`${from} was not passed`);
  const first = new Map<string, Passing>();
  for (const passing of passings.slice(begin))
    if (!idle.test(passing.point) && !first.has(passing.point)) first.set(passing.point, passing);
  return [...first.values()];
}

/** Calls that change nothing; any other call counts as a change. */
const reads =
  /^(eventstore:(read\w+|head|end|subscribe)|redis:(get|ping)|postgres:(begin|select |lease-holds|credits-of-wallet|reservations-left|[\w-]+-(due|by-stream|links)))/;

/**
 * The points at which to die. Only changes can be seen from outside, so dying at a read equals dying after the previous
 * change. If `B:before` follows `A:after`, one of them is enough, since nothing happens between them.
 */
export function momentsOf(passings: readonly Passing[]): Passing[] {
  const changes = passings.filter(({ point }) => !reads.test(point));
  return changes.filter(
    ({ point }, index) =>
      !(point.endsWith(':before') && changes[index - 1]?.point.endsWith(':after')),
  );
}

/**
 * The same of a process with one transaction at a time. Postgres undoes its statements whenever the process dies before
 * the commit, so the first one and the last one are enough.
 */
export function momentsOfTransactions(passings: readonly Passing[]): Passing[] {
  const undone = new Set<Passing>();
  let open: Passing[] = [];
  for (const passing of passings) {
    if (passing.point === 'postgres:begin:after') open = [];
    else if (passing.point === 'postgres:commit:before')
      for (const inside of open.slice(1, -1)) undone.add(inside);
    else if (!reads.test(passing.point)) open.push(passing);
  }
  return momentsOf(passings).filter((moment) => !undone.has(moment));
}

export interface Death {
  readonly app: Replica;
  readonly at: Passing;
  readonly settings?: ReplicaSettings;
  /** Makes it pass the point, once it listens; it may have died before. */
  readonly drive?: (armed: Spawned) => Promise<unknown>;
}

/** Starts a process that is to die at a point, drives it there, and checks that SIGKILL ended it at that very point. */
export async function dieAt(
  service: Service,
  { app, at, settings = {}, drive }: Death,
): Promise<void> {
  const name = nameOf(at);
  const armed = service.spawnReplica(app, { ...settings, CRASH_AT: name });
  try {
    await Promise.race([armed.up.catch(() => undefined), armed.ended]);
    if (!armed.hasEnded()) await drive?.(armed);
    await withDeadline(armed.ended, deathDeadlineMs, `${app} did not pass ${name}`);
  } finally {
    armed.signal('SIGKILL');
  }
  expectDeath(armed, at);
}

/** Does the same for a command, which drives itself. */
export async function commandDiesAt(
  service: Service,
  words: readonly string[],
  at: Passing,
): Promise<void> {
  const name = nameOf(at);
  const armed = service.spawnCommand(words, { CRASH_AT: name });
  try {
    await withDeadline(armed.ended, commandDeadlineMs, `the command did not pass ${name}`);
  } finally {
    armed.signal('SIGKILL');
  }
  expectDeath(armed, at);
}

const nameOf = ({ point, pass }: Passing): string => `${point}#${pass}`;

function expectDeath(armed: Omit<Spawned, 'up'>, at: Passing): void {
  const name = nameOf(at);
  expect({ name, endedBy: armed.endedBy() }).toEqual({ name, endedBy: 'SIGKILL' });
  const last = armed.lines.findLast((line) => line.includes('"dies at a crash point"')) ?? '{}';
  expect(parsePassing(last)).toEqual(at);
}
