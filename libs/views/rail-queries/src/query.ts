import { type Mode } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';

/**
 * The lease for an attempt: `asking` for this long. An attempt without a conclusion by then counts as not made, since
 * its worker died while it asked, and is due again. A question takes a few seconds. If it takes longer, another worker
 * may ask as well, which costs the rail a request and the ledger nothing. After a worker's death, its questions
 * continue within ten seconds.
 */
export const railQueryLease = { outcome: 'asking', ms: 8000 } as const;

/**
 * A collection about which the rail is to be asked. `asked` is the number of status queries so far, and `previous` is
 * the outcome of the last one.
 */
export interface OpenRailQuery {
  readonly stream: string;
  readonly channel: string;
  readonly mode: Mode;
  readonly railReference: string;
  readonly asked: number;
  readonly previous: string | null;
}

/**
 * The delay by an outage, beyond the last delay, after which the rail is no longer asked and people decide
 * (RAIL_REVIEW_AFTER). It limits the number of exhausted collections that each call walks past.
 */
const latestMs = 24 * 3_600_000;

/** Jitter: up to a tenth of the delay, at most five minutes, added to it; so no query comes before its delay. */
const jitter = { share: 0.1, maxMs: 300_000 } as const;

/** The end of a walk along the list, in the order of intents. */
export interface RailQueriesEdge {
  readonly intentAt: Date;
  readonly stream: string;
}

export interface DueRailQueries {
  readonly due: readonly OpenRailQuery[];
  /** The place to continue from, as more may be due after it. If absent, the next walk begins with the oldest. */
  readonly next?: RailQueriesEdge;
  /**
   * The place just before the oldest that this walk saw. Before it, and after `from`, there was none. A later walk may
   * begin here: it then skips index entries of collections that were settled. A collection may still be listed before
   * it later.
   */
  readonly oldest: RailQueriesEdge;
}

interface DueRow {
  readonly walked: number;
  readonly oldestAt: Date;
  /** The end of the walk; null if it saw none. */
  readonly intentAt: Date | null;
  readonly stream: string | null;
  readonly open: OpenRailQuery | null;
}

/** Maximum number of collections that one statement reads, due or not: some tens of milliseconds. */
const maxWalked = 5000;

const listStart: RailQueriesEdge = { intentAt: new Date(0), stream: '' };

// A query is due if its delay is over, and also the gap since the previous question: after an outage, overdue questions
// must not come all at once. An attempt without a conclusion counts only until its lease ends. The jitter depends only
// on stream and attempt, so that every worker computes the same value at any time.
const due = {
  name: 'rail-queries-due',
  text: `
  with walked as materialized (
    select * from rail_queries
    where declined = $12
      and intent_at <= records.now_() - ($1::bigint[])[1] * interval '1 millisecond'
      and intent_at >= records.now_() - $5 * interval '1 millisecond'
      and intent_at >= $9 and (intent_at, stream) > ($9, $10)
    order by intent_at, stream
    limit $11
  )
  select seen.walked, seen."oldestAt", edge.intent_at as "intentAt", edge.stream, due.open
  from (
    select count(*)::int as walked,
      coalesce(min(intent_at), records.now_() - ($1::bigint[])[1] * interval '1 millisecond') as "oldestAt"
    from walked
  ) seen
  left join (
    select intent_at, stream from walked order by intent_at desc, stream desc limit 1
  ) edge on true
  left join lateral (
    select jsonb_build_object('stream', q.stream, 'channel', q.channel, 'mode', q.mode, 'railReference', r.reference,
      'asked', a.asked, 'previous', a.previous) as open
    from walked q
    cross join lateral (
      select coalesce(q.rail_reference,
        case when $14 then (select account_reference from transactions where stream = q.stream) end) as reference
    ) r
    cross join lateral (
      select coalesce(max(attempt) filter (where outcome <> $3), 0)::int as asked,
             max(attempted_at) filter (where outcome <> $3) as asked_at,
             (array_agg(outcome order by attempt desc) filter (where outcome <> $3))[1] as previous,
             max(attempted_at) filter (where outcome = $3) as leased_at
        from records.rail_query_attempts where stream = q.stream
    ) a
    cross join lateral (
      select ($1::bigint[])[a.asked + 1]
        + (least($7::float8, $6::float8 * ($1::bigint[])[a.asked + 1])
          * (hashtext(q.stream || '#' || a.asked) & 65535) / 65536)::bigint as delay
    ) d
    where r.reference is not null
      and q.channel = $13 and q.mode = $8
      and a.asked < cardinality($1::bigint[])
      and q.intent_at <= records.now_() - d.delay * interval '1 millisecond'
      and (a.asked_at is null or a.asked_at
        <= records.now_() - (($1::bigint[])[a.asked + 1] - ($1::bigint[])[a.asked]) * interval '1 millisecond')
      and (a.leased_at is null or a.leased_at <= records.now_() - $4 * interval '1 millisecond')
    order by q.intent_at, q.stream
    limit $2
  ) due on true`,
};

/**
 * The collections of a rail's mode about which it is to be asked now, oldest first, from the next few thousand that
 * wait: the pending ones, or those that it declined.
 * @param options `delaysMs` is RAIL_QUERY_DELAYS, ascending: the n-th query is due that long after the intent, plus
 *   jitter, and after the previous one by the difference of their delays. `from`: the end of the previous walk; if
 *   absent, the oldest
 */
export async function dueRailQueries(
  database: Queryable,
  options: DueOptions,
): Promise<DueRailQueries> {
  const { values, ...statement } = dueStatement(options);
  const rows = await database.query<DueRow>(statement, values);
  const found = rows.flatMap(({ open }) => open ?? []);
  const next =
    found.length === options.max ? options.from : edgeOf(rows[0], options.maxWalked ?? maxWalked);
  // The empty stream is before all of the same millisecond.
  const oldest = { intentAt: rows[0]?.oldestAt ?? listStart.intentAt, stream: '' };
  return { due: found, oldest, ...(next && { next }) };
}

export interface DueOptions {
  readonly delaysMs: readonly number[];
  readonly channel: string;
  readonly mode: Mode;
  readonly declined?: boolean;
  readonly usesOurReference?: true | undefined;
  readonly max: number;
  readonly from?: RailQueriesEdge | undefined;
  readonly maxWalked?: number;
}

/** The statement of `dueRailQueries`, for specs that explain it. */
export function dueStatement(options: DueOptions) {
  const { delaysMs, channel, mode, declined = false, max, from = listStart } = options;
  const { maxWalked: walk = maxWalked } = options;
  const { outcome, ms } = railQueryLease;
  const oldestMs = (delaysMs.at(-1) ?? 0) + latestMs;
  const { share, maxMs } = jitter;
  const values = [
    ...[delaysMs, max, outcome, ms, oldestMs, share, maxMs, mode],
    ...[from.intentAt, from.stream, walk, declined, channel, options.usesOurReference === true],
  ];
  return { ...due, values };
}

function edgeOf(row: DueRow | undefined, walk: number): RailQueriesEdge | undefined {
  if (!row || row.walked < walk) return undefined;
  const { intentAt, stream } = row;
  return intentAt === null || stream === null ? undefined : { intentAt, stream };
}

/**
 * The time for which the rail may leave the final query unanswered, beyond the age at which a timeout is flagged
 * (RAIL-18).
 */
const maxLateMs = 24 * 3_600_000;

// Uses the age alone if the push's own answer was lost, since there is no rail reference to ask about.
const silent = {
  name: 'rail-queries-silent',
  text: `
  select stream, intent_at as "intentAt",
    intent_at <= records.now_() - $4 * interval '1 millisecond' as "isLate"
  from rail_queries
  where not declined and ($6::text is null or mode = $6)
    and intent_at <= records.now_() - $1 * interval '1 millisecond'
    and (rail_reference is null
      or exists (select from unnest($3::text[], $5::text[]) as askable (channel, mode)
        where askable.channel = rail_queries.channel and askable.mode = rail_queries.mode)
      or intent_at <= records.now_() - $4 * interval '1 millisecond')
    and (intent_at, stream) > ($7::timestamptz, $8)
  order by intent_at, stream
  limit $2`,
};

/** A mode of a rail: its queries are made or held back separately from those of other modes. */
export interface AskableRail extends Pick<OpenRailQuery, 'channel' | 'mode'> {
  /** True if the rail can be asked by our account reference, even if the push's own answer was lost. */
  readonly usesOurReference?: true;
}

/** A collection that has been pending for too long. `isLate`: it has waited another day for the rail to accept a question. */
export interface OverdueCollection extends RailQueriesEdge {
  readonly isLate: boolean;
}

/**
 * The collections that have been pending for longer than `afterMs` since their intent, oldest first.
 * @param options `askable`: the rails' modes that accept questions. If a mode does not, collections that it could be
 *   asked about wait for at most a day. `mode`: if absent, both. `after`: the end of the previous page; if absent, the
 *   oldest
 */
export function overdueCollections(
  database: Queryable,
  options: {
    readonly afterMs: number;
    readonly max: number;
    readonly askable: readonly AskableRail[];
    readonly mode?: Mode | undefined;
    readonly after?: RailQueriesEdge | undefined;
  },
): Promise<OverdueCollection[]> {
  const { afterMs, max, askable, mode = null, after = listStart } = options;
  return database.query<OverdueCollection>(silent, [
    ...[afterMs, max, askable.map(({ channel }) => channel), afterMs + maxLateMs],
    ...[askable.map((rail) => rail.mode), mode, after.intentAt, after.stream],
  ]);
}

/** Above this the number means "at least": a scrape must cost the same during an outage of the rail. */
const maxCounted = 10_000;

const waiting = `
  select count(*)::integer as collections,
      count(*) filter (where rail_reference is null)::integer as unanswered,
      coalesce(extract(epoch from records.now_() - min(intent_at)), 0)::float8 as "oldestSeconds"
    from (
      select rail_reference, intent_at from rail_queries where not declined
      order by intent_at limit ${maxCounted}
    ) oldest`;

/** The number of collections that wait for the rail's report, for metrics; at most the 10,000 oldest. */
export interface WaitingCollections {
  readonly collections: number;
  /** The number of those whose push was not answered, so that the rail cannot be asked. */
  readonly unanswered: number;
  readonly oldestSeconds: number;
}

export async function waitingCollections(database: Queryable): Promise<WaitingCollections> {
  const [row] = await database.query<WaitingCollections>(waiting);
  return row ?? { collections: 0, unanswered: 0, oldestSeconds: 0 };
}
