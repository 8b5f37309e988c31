import { type Position } from '#domain/event-sourcing';
import { type Instant, instantFromMs, type Mode } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { requireServable, type Servability } from '#views/view-set';
import { type ActKind, type ActRow } from './act.js';

/** What somebody did. */
export interface Act {
  readonly position: Position;
  readonly kind: ActKind;
  /** The event's. */
  readonly type: string;
  readonly recordedAt: Instant;
  /** Who did it, as `actor.id` has it: a person, a name of before there was an issuer, or a credential. */
  readonly actor: string;
  /** Whoever took part, `actor` the first: who proposed, confirmed, or decided as a holder. */
  readonly people: readonly string[];
  readonly merchantId: string | null;
  readonly mode: Mode | null;
  readonly stream: string;
  /** Of the event in its stream. */
  readonly revision: bigint;
  readonly reason: string | null;
  /** What the event says besides. */
  readonly details: Readonly<Record<string, unknown>>;
}

/** Which acts are looked for; what is absent bounds nothing. */
export interface ActsWanted {
  /** Any of these took part. */
  readonly people?: readonly string[];
  readonly kind?: ActKind;
  readonly merchantId?: string;
  /** Recorded at or after. */
  readonly from?: Date;
  /** Recorded before. */
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

// Planned for what is asked each time: without a name.
const selectPage = `
  select c.fresh_at, c.position as "upTo", a.*
  from checkpoint c
  left join lateral (
    select * from acts where ${conditions} and ($6::bigint is null or position < $6)
    order by position desc limit $7
  ) a on true
  order by a.position desc`;

/** Some acts, and up to which position of the log all are known. */
export interface ActsPage {
  readonly acts: readonly Act[];
  readonly upTo: Position;
  /** There are further ones behind the last. */
  readonly more: boolean;
}

/**
 * The newest first.
 * @param page `before`: only those in front of this position
 * @throws DependencyUnavailable where the views are being built
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

/** Some hundred kilobytes. */
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
 * All up to a position, in the order of the log, a page in memory at a time: one position gives one answer.
 * @throws DependencyUnavailable where the views are being built
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
