import { type Mode } from '#kernel';
import { type Queryable } from '#postgres';

/** A collection that waits for the rail's word. `asked` counts the status queries made so far. */
export interface OpenRailQuery {
  readonly stream: string;
  readonly mode: Mode;
  readonly railReference: string;
  readonly intentAt: Date;
  readonly asked: number;
}

const due = {
  name: 'rail-queries-due',
  text: `
  select q.stream, q.mode, q.rail_reference as "railReference", q.intent_at as "intentAt",
         coalesce(a.asked, 0)::int as asked
  from rail_queries q
  left join lateral (
    select max(attempt) as asked from records.rail_query_attempts where stream = q.stream
  ) a on true
  where q.rail_reference is not null
    and q.intent_at <= records.now_() - ($1::bigint[])[1] * interval '1 millisecond'
    and coalesce(a.asked, 0) < cardinality($1::bigint[])
    and q.intent_at <= records.now_() - ($1::bigint[])[coalesce(a.asked, 0) + 1] * interval '1 millisecond'
  order by q.intent_at
  limit $2`,
};

/**
 * The collections about which the rail is to be asked now, oldest first.
 * @param delaysMs RAIL_QUERY_DELAYS: the n-th query is due that long after the intent
 */
export function dueRailQueries(
  database: Queryable,
  delaysMs: readonly number[],
  limit: number,
): Promise<OpenRailQuery[]> {
  return database.query<OpenRailQuery>(due, [delaysMs, limit]);
}
