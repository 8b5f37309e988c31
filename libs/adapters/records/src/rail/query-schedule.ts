import { type Queryable } from '#infra/postgres';
import { railQueryLease } from '#views/rail-queries';

/** A status query that was made: number `attempt` of the stream, counted from 1. */
export interface RailQueryAttempt {
  readonly stream: string;
  readonly attempt: number;
  /** Such as `paid`, `declined:cancelled`, `unresolved`; `asking` until it is concluded. */
  readonly outcome: string;
}

/** After a question that could not be put, or whose answer could not be recorded: soon, but not at once. */
const againAfterMs = 2_000;

const lease = `
  insert into records.rail_query_attempts as made (stream, attempt, outcome) values ($1, $2, $3)
  on conflict (stream, attempt) do update set attempted_at = records.now_()
    where made.outcome = $3 and made.attempted_at <= records.now_() - $4 * interval '1 millisecond'
  returning 1`;
const conclude = `
  update records.rail_query_attempts set outcome = $3 where stream = $1 and attempt = $2`;
const last = `
  select outcome from records.rail_query_attempts
  where stream = $1 and outcome <> $2 order by attempt desc limit 1`;
const giveBack = `
  update records.rail_query_attempts
    set attempted_at = records.now_() - $4 * interval '1 millisecond'
    where stream = $1 and attempt = $2 and outcome = $3`;

/**
 * Leases an attempt (`railQueryLease`) before the query is sent: of two workers one alone gets `true`. The
 * attempt is made once `concludeRailQueryAttempt` says how it ended.
 */
export async function leaseRailQueryAttempt(
  database: Queryable,
  { stream, attempt }: Omit<RailQueryAttempt, 'outcome'>,
): Promise<boolean> {
  const { outcome, ms } = railQueryLease;
  return (await database.query(lease, [stream, attempt, outcome, ms])).length > 0;
}

/** Notes how an attempt ended. */
export async function concludeRailQueryAttempt(
  database: Queryable,
  attempt: RailQueryAttempt,
): Promise<void> {
  await database.query(conclude, [attempt.stream, attempt.attempt, attempt.outcome]);
}

/** Gives an attempt back that did not count: it is due again in two seconds. */
export async function giveBackRailQueryAttempt(
  database: Queryable,
  { stream, attempt }: Omit<RailQueryAttempt, 'outcome'>,
): Promise<void> {
  const { outcome, ms } = railQueryLease;
  await database.query(giveBack, [stream, attempt, outcome, ms - againAfterMs]);
}

/** What the last attempt that was concluded came to; undefined where none was. */
export async function lastRailQueryOutcome(
  database: Queryable,
  stream: string,
): Promise<string | undefined> {
  const rows = await database.query<{ outcome: string }>(last, [stream, railQueryLease.outcome]);
  return rows[0]?.outcome;
}
