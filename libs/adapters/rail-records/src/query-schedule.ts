import {
  type DueQuery,
  type QueryAttempt,
  QuerySchedule,
  type RailWorkOptions,
} from '#edges/rails';
import { type Clock } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import {
  type AskableRail,
  dueRailQueries,
  type RailQueriesEdge,
  railQueryLease,
} from '#views/rail-queries';
import { alternated } from './alternated.js';
import { maxApartMs } from './apart.js';

/** The delay after a question that could not be asked, or whose answer could not be recorded: short, but not zero. */
const againAfterMs = 2_000;

const lease = `
  insert into records.rail_query_attempts as made (stream, attempt, outcome) values ($1, $2, $3)
  on conflict (stream, attempt) do update set attempted_at = records.now_()
    where made.outcome = $3 and made.attempted_at <= records.now_() - $4 * interval '1 millisecond'
  returning 1`;
const conclude = `
  update records.rail_query_attempts set outcome = $3 where stream = $1 and attempt = $2`;
const last = `
  select outcome from (
    select outcome, attempted_at from records.rail_query_attempts
    where stream = $1 and outcome <> $2 order by attempt desc limit 1
  ) made where attempted_at <= records.now_() - $3 * interval '1 millisecond'`;
const giveBack = `
  update records.rail_query_attempts
    set attempted_at = records.now_() - $4 * interval '1 millisecond'
    where stream = $1 and attempt = $2 and outcome = $3`;

/**
 * A collection that was listed late, or whose row got an earlier place, is found within this time: so often a walk
 * begins with the oldest of all. The worker walks twice a second.
 */
const wholeWalkEveryMs = 5000;

/** The progress of the walks along one list: of a rail's mode, pending or declined. */
interface Walks {
  /** The end of the last walk, if it stopped at a bound. The next one continues there. */
  readonly next?: RailQueriesEdge | undefined;
  /** No collection was listed before it when a walk saw its place. */
  readonly oldest: RailQueriesEdge;
  /** The time of the last walk that began at the beginning of the list. */
  readonly wholeAtMs: number;
}

/** The schedule, from the view of collections that may still be paid and from the records of attempts. */
export class RecordedQuerySchedule extends QuerySchedule {
  /**
   * If thousands of collections wait but are not due, each call skips a part; the next call continues from there. This
   * process alone knows it: a new one walks all, and workers do not depend on each other's walks.
   */
  private readonly walks = new Map<string, Walks>();

  constructor(
    private readonly database: Queryable,
    private readonly options: RailWorkOptions,
    private readonly clock: Clock,
  ) {
    super();
  }

  override async due(rails: readonly AskableRail[], max: number): Promise<readonly DueQuery[]> {
    const pending = await this.inTurns(rails, { declined: false, max });
    const left = max - pending.length;
    if (left === 0) return pending;
    return [...pending, ...(await this.inTurns(rails, { declined: true, max: left }))];
  }

  override async lease({ stream, attempt }: QueryAttempt): Promise<boolean> {
    const { outcome, ms } = railQueryLease;
    return (await this.database.query(lease, [stream, attempt, outcome, ms])).length > 0;
  }

  override async lastOutcome(stream: string): Promise<string | undefined> {
    const values = [stream, railQueryLease.outcome, maxApartMs];
    return (await this.database.query<{ outcome: string }>(last, values))[0]?.outcome;
  }

  override async conclude({ stream, attempt }: QueryAttempt, outcome: string): Promise<void> {
    await this.database.query(conclude, [stream, attempt, outcome]);
  }

  override async giveBack({ stream, attempt }: QueryAttempt): Promise<void> {
    const { outcome, ms } = railQueryLease;
    await this.database.query(giveBack, [stream, attempt, outcome, ms - againAfterMs]);
  }

  private async inTurns(rails: readonly AskableRail[], part: Part): Promise<readonly DueQuery[]> {
    const ofRails = await Promise.all(rails.map((rail) => this.dueOf(rail, part)));
    return alternated(ofRails).slice(0, part.max);
  }

  private async dueOf(
    { channel, mode, usesOurReference }: AskableRail,
    { declined, max }: Part,
  ): Promise<readonly DueQuery[]> {
    const list = `${channel} ${mode} ${String(declined)}`;
    const before = this.walks.get(list);
    const nowMs = this.clock.nowMs();
    const from = before && beginning(before, nowMs);
    const { due, next, oldest } = await dueRailQueries(this.database, {
      delaysMs: this.options.queryDelaysMs,
      channel,
      mode,
      declined,
      usesOurReference,
      max,
      from,
    });
    this.walks.set(list, walksAfter(before, { from, next, oldest, nowMs }));
    return due.map(({ asked, previous, ...query }) => ({
      ...query,
      attempt: asked + 1,
      ...(previous === null ? {} : { previous }),
    }));
  }
}

/** Returns the place at which the next walk begins; if undefined, the beginning of the list. */
function beginning({ next, oldest, wholeAtMs }: Walks, nowMs: number): RailQueriesEdge | undefined {
  if (next) return next;
  const sinceMs = nowMs - wholeAtMs;
  // A clock that was set back must not delay the whole walk.
  return sinceMs >= 0 && sinceMs < wholeWalkEveryMs ? oldest : undefined;
}

interface Walked {
  readonly from: RailQueriesEdge | undefined;
  readonly next: RailQueriesEdge | undefined;
  readonly oldest: RailQueriesEdge;
  readonly nowMs: number;
}

/**
 * A walk that continues another one leaves the edge. If a walk from the edge found as many as were asked for, the next
 * one does not continue it: it may begin at the beginning again.
 */
function walksAfter(before: Walks | undefined, { from, next, oldest, nowMs }: Walked): Walks {
  if (before?.next) return { ...before, next };
  const wholeAtMs = before && from ? before.wholeAtMs : nowMs;
  return { next: next === from ? undefined : next, oldest, wholeAtMs };
}

/** Declined collections are many, and no customer waits for them. They are read separately, and last. */
interface Part {
  readonly declined: boolean;
  readonly max: number;
}
