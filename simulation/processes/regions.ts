import { Dice } from '../core/dice.js';
import { type Host } from '../core/host.js';
import { type ServerName, type World } from '../core/world.js';
import { type Api } from './api.js';

/** A takeover by the passive region. Times count from the schedule's start. */
export interface Takeover {
  /** From then on the processes of the active region reach no store. They still reach the rail, and clients reach them. */
  readonly cutMs: number;
  /** The passive region's processes start. */
  readonly startMs: number;
  /** The processes of the region that was active reach the stores again, and continue as further replicas. */
  readonly healedMs: number;
}

interface Regions {
  /** The APIs that callers reach: at first those of the active region. They are replaced in place. */
  readonly apis: Host<Api>[];
  /** Starts processes with these numbers in their names. @returns their APIs */
  readonly start: (numbers: readonly number[]) => Host<Api>[];
  /** Removes the data that the passive region does not have. */
  readonly lose: () => void;
}

const stores = ['event store', 'records', 'redis'] as const satisfies readonly ServerName[];
/** The processes of the active region (`startProcesses`). */
const active: ReadonlySet<string> = new Set(
  ['api', 'worker', 'projector'].flatMap((name) => [`${name}-1`, `${name}-2`]),
);
const passiveNumbers = [3, 4];
const label = 'the passive region takes over';

/** Lets the passive region take over at its time, if the schedule has a takeover that begins before its faults end. */
export function planTakeover(
  world: World,
  plan: { readonly takeover: Takeover | undefined; readonly faultsUntilMs: number },
  { apis, start, lose }: Regions,
): void {
  const { takeover, faultsUntilMs } = plan;
  if (!takeover || takeover.startMs >= faultsUntilMs || !world.faults.planned(label)) return;
  const beginMs = world.nowMs;
  const [fromMs, untilMs] = [
    beginMs + takeover.cutMs,
    beginMs + Math.min(takeover.healedMs, faultsUntilMs),
  ];
  for (const server of stores) world.outages.push({ server, of: active, fromMs, untilMs });
  world.tell(() => 'the active region will lose its stores');
  world.scheduler.add({
    dueMs: beginMs + takeover.startMs,
    tie: new Dice(world.seed, label).bits(),
    run: () => {
      world.tell(() => label);
      lose();
      apis.splice(0, apis.length, ...start(passiveNumbers));
    },
  });
}
