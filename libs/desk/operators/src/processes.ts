import { apartText, type Heartbeat, neededApps, silentAfterSeconds } from '#infra/postgres';

/** The state of the platform's processes, from their heartbeats (OPS-50). */
export interface ProcessesStanding {
  readonly processes: readonly ProcessSeen[];
  /** Apps without a running process. */
  readonly missing: readonly MissingApp[];
  /** Processes that are silent while others of their app run. */
  readonly silent: readonly ProcessSeen[];
  /** Running processes whose clock is apart from the database's. */
  readonly apart: readonly ProcessSeen[];
  /** Running processes of which a loop completes no step (OPS-64). */
  readonly stalled: readonly ProcessSeen[];
}

export interface ProcessSeen extends Heartbeat {
  readonly state: 'runs' | 'silent' | 'ended';
}

export interface MissingApp {
  readonly app: string;
  /** The process that was seen last; undefined if there never was one. */
  readonly last: ProcessSeen | undefined;
}

/** It writes the heartbeats of the demo's other apps, too: while it is silent, theirs say nothing. */
const launcher = 'launcher';

/**
 * Judges the heartbeats. An app is missing if none of its processes runs, and it is needed or one of them is silent
 * without having been stopped.
 */
export function processesStanding(heartbeats: readonly Heartbeat[]): ProcessesStanding {
  const processes = heartbeats.map((seen) => ({ ...seen, state: stateOf(seen) }));
  const apps = [...new Set([...neededApps, ...processes.map(({ app }) => app)])];
  const ofApp = (app: string): readonly ProcessSeen[] =>
    processes.filter((each) => each.app === app);
  const isNeeded = (app: string): boolean => (neededApps as readonly string[]).includes(app);
  const isMissing = (app: string): boolean => {
    const states = ofApp(app).map(({ state }) => state);
    if (states.includes('runs')) return false;
    return isNeeded(app) || states.includes('silent');
  };
  const missing = apps.filter(isMissing);
  const named = missing.includes(launcher)
    ? missing.filter((app) => app === launcher || isNeeded(app))
    : missing;
  return {
    processes,
    missing: named.map((app) => ({ app, last: lastSeen(ofApp(app)) })),
    silent: processes.filter(({ app, state }) => state === 'silent' && !missing.includes(app)),
    apart: processes.filter(
      ({ state, clockAheadSeconds }) => state === 'runs' && clockAheadSeconds !== 0,
    ),
    stalled: processes.filter(
      ({ state, stalledLoops }) => state === 'runs' && stalledLoops.length > 0,
    ),
  };
}

/** Describes the missing, silent and stalled processes, and those with a wrong clock, one English sentence each. */
export function processFaults(standing: ProcessesStanding): readonly string[] {
  const { missing, silent, stalled, apart } = standing;
  return [
    ...missing.map(({ app, last }) => `no ${app} runs: ${lastSign(last)}`),
    ...silent.map(
      ({ app, instance, pid, silentSeconds }) =>
        `a ${app} is silent for ${span(silentSeconds)}: ${instance}, pid ${pid}`,
    ),
    ...stalled.map(
      ({ app, instance, pid, stalledLoops }) =>
        `a ${app} completes no step of ${stalledLoops.join(', ')}: ${instance}, pid ${pid}`,
    ),
    ...apart.map(
      ({ app, instance, clockAheadSeconds }) =>
        `the clock of ${app} is ${apartText(clockAheadSeconds)} Postgres’: ${instance}`,
    ),
  ];
}

function lastSign(last: ProcessSeen | undefined): string {
  if (!last) return 'it was never seen';
  const ago = `${span(last.silentSeconds)} ago`;
  return last.hasEnded
    ? `it was stopped ${ago}`
    : `it was last seen ${ago}, as pid ${last.pid} on ${last.instance}`;
}

function span(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 120) return `${whole} s`;
  return whole < 7200 ? `${Math.round(whole / 60)} min` : `${Math.round(whole / 3600)} h`;
}

function stateOf({ hasEnded, silentSeconds }: Heartbeat): ProcessSeen['state'] {
  if (hasEnded) return 'ended';
  return silentSeconds > silentAfterSeconds ? 'silent' : 'runs';
}

function lastSeen(seen: readonly ProcessSeen[]): ProcessSeen | undefined {
  return seen.toSorted((one, other) => one.silentSeconds - other.silentSeconds)[0];
}

/** Seconds since the newest heartbeat of each app; infinite if a needed app was never seen, or was stopped. */
export function lastSeenSeconds(heartbeats: readonly Heartbeat[]): ReadonlyMap<string, number> {
  const ages = new Map<string, number>(neededApps.map((app) => [app, Infinity]));
  for (const { app, silentSeconds, hasEnded } of heartbeats)
    if (!hasEnded) ages.set(app, Math.min(ages.get(app) ?? Infinity, silentSeconds));
  return ages;
}
