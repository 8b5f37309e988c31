import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { type Clock } from '#domain/kernel';
import { buildOf, Loop, type ProcessContext, withDeadline } from '#infra/runtime';
import { ClockWatch } from './clock-watch.js';
import { type Queryable } from './database.js';
import { StallWatch } from './stall-watch.js';

/** A process by its row (OPS-50). */
export interface Heartbeat {
  /** Its folder under `apps/`. */
  readonly app: string;
  /** Host and admin port. */
  readonly instance: string;
  readonly pid: number;
  readonly version: string;
  readonly startedAt: Date;
  /** Seconds since the last heartbeat, by the database's clock. */
  readonly silentSeconds: number;
  /** True if it was asked to stop, and did. */
  readonly hasEnded: boolean;
  /** By how much its clock is ahead of the database's; negative if it is behind, 0 if they agree. */
  readonly clockAheadSeconds: number;
  /** Its loops that complete no step (OPS-64); none if a process of an older release has the row. */
  readonly stalledLoops: readonly string[];
}

/** A process that writes its own row. */
export interface Beating {
  readonly app: string;
  readonly instance: string;
  readonly run: string;
  readonly pid: number;
  readonly version: string;
}

/** Without one of these, work or answers are missing. All others run only on one machine, for the demo. */
export const neededApps = ['api', 'projector', 'worker'] as const;

/** Five beats are missing by then: a busy machine does not delay them that long. */
export const silentAfterSeconds = 10;

const beatEveryMs = 2000;
const beatDeadlineMs = 4000;
/**
 * A row is deleted this long after its process ended. The newest row of a needed app stays, since it says when the app
 * was last seen.
 */
const forgottenAfter = '10 minutes';

const put = {
  name: 'heartbeat',
  text: `
    with forgotten as (
      delete from records.heartbeats old
      where (old.app, old.instance) <> ($1, $2)
        and old.seen_at < clock_timestamp() - interval '${forgottenAfter}'
        and (old.app <> all ($6::text[]) or old.app = $1 or exists (
          select from records.heartbeats newer where newer.app = old.app and newer.seen_at > old.seen_at)))
    insert into records.heartbeats as beat
      (app, instance, run, pid, version, clock_ahead_seconds, stalled_loops, stalled_run, started_at, seen_at)
    values ($1, $2, $3, $4, $5, $7, $8, $3, clock_timestamp(), clock_timestamp())
    on conflict (app, instance) do update set
      started_at = case when beat.run = excluded.run then beat.started_at else excluded.started_at end,
      run = excluded.run, pid = excluded.pid, version = excluded.version,
      clock_ahead_seconds = excluded.clock_ahead_seconds,
      stalled_loops = excluded.stalled_loops, stalled_run = excluded.stalled_run,
      seen_at = excluded.seen_at, ended_at = null
    returning (extract(epoch from records.now_()) * 1000)::float8 as "nowMs"`,
};
const end = `
  update records.heartbeats set ended_at = clock_timestamp(), seen_at = clock_timestamp()
  where app = $1 and instance = $2 and run = $3`;
const others = `
  select instance, pid from records.heartbeats
  where app = $1 and starts_with(instance, $2) and run <> $3 and ended_at is null`;
const endOthers = `
  update records.heartbeats set ended_at = clock_timestamp()
  where app = $1 and instance = any ($2) and run <> $3`;
const select = {
  name: 'heartbeats',
  text: `
    select app, instance, pid, version, started_at as "startedAt", ended_at is not null as "hasEnded",
      clock_ahead_seconds as "clockAheadSeconds",
      case when stalled_run = run then stalled_loops else '{}' end as "stalledLoops",
      extract(epoch from clock_timestamp() - seen_at)::float8 as "silentSeconds"
    from records.heartbeats order by app, instance`,
};

/**
 * Records that the process is alive now.
 * @param clockAheadSeconds as the heartbeat before found it
 * @param stalled the names of its loops that complete no step
 * @returns the time by the database's clock, with CLOCK_OFFSET
 */
export async function beat(
  database: Queryable,
  of: Beating,
  clockAheadSeconds = 0,
  stalled: readonly string[] = [],
): Promise<number> {
  const { app, instance, run, pid, version } = of;
  const values = [app, instance, run, pid, version, neededApps, clockAheadSeconds, stalled];
  const [row] = await database.query<{ nowMs: number }>(put, values);
  return row?.nowMs ?? NaN;
}

/** Records that the process was stopped on request. */
export async function endBeating(
  database: Queryable,
  { app, instance, run }: Beating,
): Promise<void> {
  await database.query(end, [app, instance, run]);
}

/**
 * Records that this app's other processes on this host have ended, if the host has no such process any more: one that
 * was killed could not record it. A process in another container, whose pid this one cannot see, corrects it with its
 * next beat.
 */
export async function endKilled(
  database: Queryable,
  { app, instance, run }: Beating,
): Promise<void> {
  const host = instance.slice(0, instance.lastIndexOf(':') + 1);
  const seen = await database.query<{ instance: string; pid: number }>(others, [app, host, run]);
  const killed = seen.filter(({ pid }) => !isAlive(pid)).map((of) => of.instance);
  if (killed.length > 0) await database.query(endOthers, [app, killed, run]);
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

/** @throws DependencyUnavailable */
export function readHeartbeats(database: Queryable): Promise<Heartbeat[]> {
  return database.query<Heartbeat & Record<string, unknown>>(select);
}

/** The heart of this process: beats from `start` to `stop`. Failed beats show as those of the loop `heartbeat`. */
export class Heart {
  readonly #loop: Loop;
  readonly #clock: Clock;
  readonly #clocks: ClockWatch;
  readonly #stalls: StallWatch;
  #beating: Beating | undefined;
  #isFirst = true;

  constructor(
    { app, logger, metrics, clock }: Pick<ProcessContext, 'app' | 'logger' | 'metrics' | 'clock'>,
    private readonly database: Queryable,
  ) {
    this.#clock = clock;
    this.#clocks = new ClockWatch(logger);
    this.#stalls = new StallWatch(metrics, logger);
    this.#loop = new Loop({
      name: 'heartbeat',
      step: async () => {
        if (this.#beating)
          await withDeadline(this.#beat(this.#beating), beatDeadlineMs, `${app} cannot beat`);
        return 'idle';
      },
      idleMs: beatEveryMs,
      maxBackoffMs: beatEveryMs,
      // Its silence shows.
      stalledAfterMs: Infinity,
      logger,
      metrics,
    });
  }

  /** @param adminPort distinguishes processes of one host, and stays the same over restarts */
  start(app: string, adminPort: number): void {
    this.#beating = beatingOf(app, adminPort);
    this.#loop.start();
  }

  async #beat(of: Beating): Promise<void> {
    const stalled = this.#stalls.look();
    const sentMs = this.#clock.nowMs();
    const databaseMs = await beat(this.database, of, this.#clocks.aheadSeconds, stalled);
    this.#clocks.compare({ sentMs, databaseMs, answeredMs: this.#clock.nowMs() });
    if (this.#isFirst) await endKilled(this.database, of);
    this.#isFirst = false;
  }

  async stop(): Promise<void> {
    await this.#loop.stop();
    if (this.#beating)
      await withDeadline(endBeating(this.database, this.#beating), 1000, 'no last beat');
  }
}

/** @param child another process, for which this one writes the row */
export function beatingOf(
  app: string,
  adminPort: number,
  child: { readonly pid: number; readonly program: string | undefined } = {
    pid: process.pid,
    program: process.argv[1],
  },
): Beating {
  const instance = `${hostname()}:${adminPort}`;
  return { app, instance, run: randomUUID(), pid: child.pid, version: buildOf(child.program) };
}
