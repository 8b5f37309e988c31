import { type Position } from '#domain/event-sourcing';
import { type Instant, instantFromMs, type Mode } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { requireServable, type Servability } from '#views/view-set';
import { type ActKind, type ActRow } from './act.js';

/** One act of a person. */
export interface Act {
  readonly position: Position;
  readonly kind: ActKind;
  /** The event's type. */
  readonly type: string;
  readonly recordedAt: Instant;
  /** Equal to `actor.id`: a person, a name from before there was an issuer, or a credential. */
  readonly actor: string;
  /** Everyone who took part, `actor` first: the proposer, the confirmer, or the holder who decided. */
  readonly people: readonly string[];
  readonly merchantId: string | null;
  readonly mode: Mode | null;
  readonly stream: string;
  /** The event's revision in its stream. */
  readonly revision: bigint;
  readonly reason: string | null;
  /** The event's other data. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** Filters for acts; an absent filter matches everything. */
export interface ActsWanted {
  /** Matches acts in which any of these people took part. */
  readonly people?: readonly string[];
  readonly kind?: ActKind;
  readonly merchantId?: string;
  /** Recorded at or after this time. */
  readonly from?: Date;
  /** Recorded before this time. */
  readonly until?: Date;
}

const conditions = `
  ($1::text[] is null or people && $1) and ($2::text is null or kind = $2)
  and ($3::text is null or merchant_id = $3)
  and ($4::timestamptz is null or recorded_at >= $4) and ($5::timestamptz is null or recorded_at < $5)`;

function valuesOf({ people, kind, merchantId, from, until }: ActsWanted): readonly unknown[] {
  return [people, kind, merchantId, from, until].map((value) => value ?? null);
}

type Row = Servability & { readonly upTo: bigint } & {
  readonly [Column in keyof ActRow]: ActRow[Column] | null;
} & { readonly recorded_at: Date | null };

// The statement has no name, so that Postgres plans it for each set of filters.
const selectPage = `
  select c.fresh_at, c.position as "upTo", a.*
  from checkpoint c
  left join lateral (
    select * from acts where ${conditions} and ($6::bigint is null or position < $6)
    order by position desc limit $7
  ) a on true
  order by a.position desc`;

/** A page of acts, and the position of the log up to which all acts are known. */
export interface ActsPage {
  readonly acts: readonly Act[];
  readonly upTo: Position;
  /** True if there are more acts after the last one. */
  readonly more: boolean;
}

/**
 * Lists acts, newest first.
 * @param page `before`: only those before this position
 * @throws DependencyUnavailable if the views are being built
 */
export async function listActs(
  database: Queryable,
  wanted: ActsWanted,
  { before, limit }: { readonly before?: Position; readonly limit: number },
): Promise<ActsPage> {
  const values = [...valuesOf(wanted), before ?? null, limit + 1];
  const rows = await database.query<Row>(selectPage, values);
  const { upTo } = requireServable(rows[0]);
  const acts = rows.flatMap(actFrom);
  return { acts: acts.slice(0, limit), upTo, more: acts.length > limit };
}

/** A page of some hundred kilobytes. */
const pageRows = 500;
const selectOn = `
  select c.fresh_at, c.position as "upTo", a.*
  from checkpoint c
  left join lateral (
    select * from acts where ${conditions} and position > $6 and position <= $7
    order by position limit ${pageRows}
  ) a on true
  order by a.position`;

/**
 * All acts up to a position, in the order of the log. It keeps one page in memory. The same position always gives the
 * same answer.
 * @throws DependencyUnavailable if the views are being built
 */
export async function* actsUpTo(
  database: Queryable,
  wanted: ActsWanted,
  upTo: Position,
): AsyncGenerator<Act, void, void> {
  let behind = -1n;
  for (;;) {
    const rows = await database.query<Row>(selectOn, [...valuesOf(wanted), behind, upTo]);
    requireServable(rows[0]);
    const acts = rows.flatMap(actFrom);
    yield* acts;
    const last = acts.at(-1);
    if (!last || acts.length < pageRows) return;
    behind = last.position;
  }
}

function actFrom(row: Row): readonly Act[] {
  const { position, kind, type, recorded_at: at, actor, stream, revision } = row;
  if (position === null || !kind || !type || !at || actor === null) return [];
  return [
    {
      position,
      kind,
      type,
      actor,
      recordedAt: instantFromMs(at.getTime()),
      people: row.people ?? [],
      merchantId: row.merchant_id,
      mode: row.mode,
      stream: stream ?? '',
      revision: revision ?? 0n,
      reason: row.reason,
      details: JSON.parse(row.details ?? '{}') as Readonly<Record<string, unknown>>,
    },
  ];
}
