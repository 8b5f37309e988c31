import { type Mode } from '#kernel';
import { type Queryable, railQueryLease } from '#postgres';

/** A collection that waits for the rail's word. `asked` counts the status queries made so far. */
export interface OpenRailQuery {
  readonly stream: string;
  readonly mode: Mode;
  readonly railReference: string;
  readonly intentAt: Date;
  readonly asked: number;
}

/**
 * What an outage may delay beyond the last delay; later, nobody is asked any more and people decide
 * (RAIL_REVIEW_AFTER). It bounds how many exhausted collections each question walks past.
 */
const latestMs = 24 * 3_600_000;

// A delay over, and the gap since the question before as well: after an outage, questions that are overdue
// must not come all at once. An attempt that is not concluded counts only for as long as its lease runs.
const due = {
  name: 'rail-queries-due',
  text: `
  select q.stream, q.mode, q.rail_reference as "railReference", q.intent_at as "intentAt", a.asked
  from rail_queries q
  cross join lateral (
    select coalesce(max(attempt) filter (where outcome <> $3), 0)::int as asked,
           max(attempted_at) filter (where outcome <> $3) as asked_at,
           max(attempted_at) filter (where outcome = $3) as leased_at
      from records.rail_query_attempts where stream = q.stream
  ) a
  where q.rail_reference is not null
    and q.intent_at <= records.now_() - ($1::bigint[])[1] * interval '1 millisecond'
    and q.intent_at >= records.now_() - $5 * interval '1 millisecond'
    and a.asked < cardinality($1::bigint[])
    and q.intent_at <= records.now_() - ($1::bigint[])[a.asked + 1] * interval '1 millisecond'
    and (a.asked_at is null or a.asked_at
      <= records.now_() - (($1::bigint[])[a.asked + 1] - ($1::bigint[])[a.asked]) * interval '1 millisecond')
    and (a.leased_at is null or a.leased_at <= records.now_() - $4 * interval '1 millisecond')
  order by q.intent_at
  limit $2`,
};

/**
 * The collections about which the rail is to be asked now, oldest first.
 * @param delaysMs RAIL_QUERY_DELAYS, rising: the n-th query is due that long after the intent, and as long
 *   after the one before as its delay is longer
 */
export function dueRailQueries(
  database: Queryable,
  delaysMs: readonly number[],
  limit: number,
): Promise<OpenRailQuery[]> {
  const { outcome, ms } = railQueryLease;
  const oldestMs = (delaysMs.at(-1) ?? 0) + latestMs;
  return database.query<OpenRailQuery>(due, [delaysMs, limit, outcome, ms, oldestMs]);
}
