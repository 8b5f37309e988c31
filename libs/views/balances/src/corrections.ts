import { type RecordedEvent } from '#domain/event-sourcing';
import {
  type CorrectionEnded,
  type CorrectionEvent,
  correctionKeyOf,
  type CorrectionPosted,
  type CorrectionProposed,
} from '#domain/corrections';
import { type Queryable } from '#infra/postgres';
import { recordset, requireServable, type Servability } from '#views/view-set';
import { type Instant, instantFromMs, type Mode } from '#domain/kernel';

const insert = {
  name: 'corrections-insert',
  text: `insert into corrections select * from json_populate_recordset(null::corrections, $1)`,
};
const post = {
  name: 'corrections-post',
  text: `
  update corrections c set confirmed_by = p.confirmed_by, posted_at = p.posted_at
  from json_to_recordset($1) as p (stream text, confirmed_by text, posted_at timestamptz(3))
  where c.stream = p.stream`,
};

const end = {
  name: 'corrections-end',
  text: `
  update corrections c set ended_at = e.ended_at, outcome = e.outcome
  from json_to_recordset($1) as e (stream text, ended_at timestamptz(3), outcome text)
  where c.stream = e.stream`,
};

/** Stores corrections for the operators' list: proposed, posted or ended. */
export async function projectCorrections(
  transaction: Queryable,
  events: readonly RecordedEvent<CorrectionEvent>[],
): Promise<void> {
  const proposed = events.filter(isProposed).map(proposedRow);
  const posted = events.filter(isPosted).map(({ stream, data, recordedAt }) => ({
    stream,
    confirmed_by: data.confirmedBy,
    posted_at: recordedAt,
  }));
  if (proposed.length > 0) await transaction.query(insert, [recordset(proposed)]);
  if (posted.length > 0) await transaction.query(post, [recordset(posted)]);
  const ended = events.filter(isEnded).map(({ stream, data, recordedAt }) => ({
    stream,
    ended_at: recordedAt,
    outcome: data.outcome,
  }));
  if (ended.length > 0) await transaction.query(end, [recordset(ended)]);
}

/** @throws TypeError if the stream names no correction */
function proposedRow({
  stream,
  data,
  recordedAt,
  position,
}: RecordedEvent<CorrectionProposed>): object {
  const id = correctionKeyOf(stream)?.id;
  if (id === undefined) throw new TypeError(`${stream} names no correction`);
  return {
    stream,
    id,
    merchant_id: data.merchantId,
    mode: data.mode,
    currency: data.currency,
    legs: data.legs.map(({ account, amountMinor }) => `${account}=${amountMinor}`),
    why: data.why,
    corrects: data.corrects ?? null,
    receipt: data.receipt ?? null,
    may_overdraw: data.mayOverdraw ?? false,
    proposed_by: data.proposedBy,
    proposed_at: recordedAt,
    position,
    confirmed_by: null,
    posted_at: null,
    ended_at: null,
    outcome: null,
  };
}

export function isPosted(
  event: RecordedEvent<CorrectionEvent>,
): event is RecordedEvent<CorrectionPosted> {
  return event.type === 'CorrectionPosted';
}

function isEnded(event: RecordedEvent<CorrectionEvent>): event is RecordedEvent<CorrectionEnded> {
  return event.type === 'CorrectionEnded';
}

function isProposed(
  event: RecordedEvent<CorrectionEvent>,
): event is RecordedEvent<CorrectionProposed> {
  return event.type === 'CorrectionProposed';
}

/** A correction in the list. */
export interface ListedCorrection {
  readonly id: string;
  /** The position of its proposal. */
  readonly position: bigint;
  readonly merchantId: string;
  readonly mode: Mode;
  readonly currency: string;
  /** `account=amount`, in minor units. */
  readonly legs: readonly string[];
  readonly why: string;
  readonly corrects: string | null;
  readonly receipt: string | null;
  readonly proposedBy: string;
  readonly proposedAt: Instant;
  /** Null while it waits for a second operator. */
  readonly confirmedBy: string | null;
  readonly postedAt: Instant | null;
  /** Null unless it ended without a posting. */
  readonly outcome: CorrectionEnded['data']['outcome'] | null;
  readonly endedAt: Instant | null;
}

interface CorrectionsFilter {
  readonly merchantId?: string;
  readonly mode?: Mode;
  /** True for only those that wait for a second operator. */
  readonly open: boolean;
  /** Only those before this position, the last one of the previous page. */
  readonly before?: bigint;
  readonly limit: number;
}

type Row = Servability & {
  readonly fresh_at: Date;
  readonly id: string | null;
  readonly position: bigint;
  readonly merchant_id: string;
  readonly mode: Mode;
  readonly currency: string;
  readonly legs: readonly string[];
  readonly why: string;
  readonly corrects: string | null;
  readonly receipt: string | null;
  readonly proposed_by: string;
  readonly proposed_at: Date;
  readonly confirmed_by: string | null;
  readonly posted_at: Date | null;
  readonly outcome: CorrectionEnded['data']['outcome'] | null;
  readonly ended_at: Date | null;
};

const select = {
  name: 'corrections-list',
  text: `
  select checkpoint.fresh_at, c.*
  from checkpoint
  left join lateral (
    select * from corrections
    where ($1::text is null or merchant_id = $1)
      and ($2::text is null or mode = $2)
      and (posted_at is null and ended_at is null or not $3)
      and ($5::bigint is null or position < $5)
    order by position desc
    limit $4
  ) c on true
  order by c.position desc`,
};

/**
 * Corrections, newest first.
 * @returns `more`: true if there are more than the limit
 * @throws DependencyUnavailable if the views are being built
 */
export async function listCorrections(
  database: Queryable,
  { merchantId, mode, open, before, limit }: CorrectionsFilter,
): Promise<{ readonly corrections: readonly ListedCorrection[]; readonly more: boolean }> {
  const values = [merchantId ?? null, mode ?? null, open, limit + 1, before ?? null];
  const rows = await database.query<Row>(select, values);
  requireServable(rows[0]);
  const found = rows.flatMap((row) => (row.id === null ? [] : [correctionFrom(row, row.id)]));
  return { corrections: found.slice(0, limit), more: found.length > limit };
}

function correctionFrom(row: Row, id: string): ListedCorrection {
  const { mode, currency, legs, why, corrects, receipt } = row;
  return {
    id,
    position: row.position,
    merchantId: row.merchant_id,
    mode,
    currency,
    legs,
    why,
    corrects,
    receipt,
    proposedBy: row.proposed_by,
    proposedAt: instantFromMs(row.proposed_at.getTime()),
    confirmedBy: row.confirmed_by,
    postedAt: row.posted_at && instantFromMs(row.posted_at.getTime()),
    outcome: row.outcome,
    endedAt: row.ended_at && instantFromMs(row.ended_at.getTime()),
  };
}

const selectOverdue = {
  name: 'corrections-overdue',
  text: `
  select stream from corrections
  where posted_at is null and ended_at is null
    and proposed_at <= records.now_() - $1 * interval '1 millisecond' and stream > $3
  order by stream limit $2`,
};

/**
 * The streams of corrections that have waited this long without a second operator, in the order of their names.
 * @param left `after`: the stream after which the page begins
 */
export async function overdueCorrections(
  database: Queryable,
  left: { readonly olderThanMs: number; readonly limit: number; readonly after?: string },
): Promise<string[]> {
  const { olderThanMs, limit, after = '' } = left;
  const values = [olderThanMs, limit, after];
  const rows = await database.query<{ stream: string }>(selectOverdue, values);
  return rows.map(({ stream }) => stream);
}
