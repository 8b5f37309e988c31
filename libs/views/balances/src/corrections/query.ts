import { type Instant, instantFromMs, type Mode } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { requireServable, type Servability } from '#views/view-set';

/** A correction as it is listed. */
export interface ListedCorrection {
  readonly id: string;
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
}

export interface CorrectionsFilter {
  readonly merchantId?: string;
  readonly mode?: Mode;
  /** Only those that wait for a second operator. */
  readonly open: boolean;
  readonly limit: number;
}

type Row = Servability & {
  readonly fresh_at: Date;
  readonly id: string | null;
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
      and (posted_at is null or not $3)
    order by position desc
    limit $4
  ) c on true
  order by c.position desc`,
};

/**
 * Corrections, the newest first.
 * @returns `more`: there are further ones behind the limit
 * @throws DependencyUnavailable where the views are being built
 */
export async function listCorrections(
  database: Queryable,
  { merchantId, mode, open, limit }: CorrectionsFilter,
): Promise<{ readonly corrections: readonly ListedCorrection[]; readonly more: boolean }> {
  const values = [merchantId ?? null, mode ?? null, open, limit + 1];
  const rows = await database.query<Row>(select, values);
  requireServable(rows[0]);
  const found = rows.flatMap((row) => (row.id === null ? [] : [correctionFrom(row, row.id)]));
  return { corrections: found.slice(0, limit), more: found.length > limit };
}

function correctionFrom(row: Row, id: string): ListedCorrection {
  const { mode, currency, legs, why, corrects, receipt } = row;
  return {
    id,
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
  };
}
