import { type Instant, instantFromMs, type Mode } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { requireServable, type Servability } from '#views/view-set';
import { type ReviewCause } from './project.js';

/** A collection or payout at which a person is to look. Amounts in minor units. */
export interface OpenReview {
  readonly stream: string;
  readonly merchantId: string;
  readonly mode: Mode;
  readonly reference: string;
  readonly why: ReviewCause;
  readonly flaggedAt: Instant;
  readonly status: string;
  /** What the merchant asked for. */
  readonly requestedMinor: bigint;
  readonly currency: string;
  readonly receipt: string | null;
  /** The ruling of one operator that waits for another to confirm it. */
  readonly proposal: { readonly decision: string; readonly proposedBy: string } | null;
}

export interface ReviewsFilter {
  readonly merchantId?: string;
  readonly mode?: Mode;
  readonly why?: ReviewCause;
  readonly limit: number;
}

type Row = Servability & {
  readonly fresh_at: Date;
  readonly stream: string | null;
  readonly merchant_id: string;
  readonly mode: Mode;
  readonly reference: string;
  readonly why: ReviewCause;
  readonly flagged_at: Date;
  readonly status: string;
  readonly requested_minor: bigint;
  readonly currency: string;
  readonly receipt: string | null;
  readonly decision: string | null;
  readonly proposed_by: string | null;
};

const select = {
  name: 'reviews-list',
  text: `
  select c.fresh_at, r.*
  from checkpoint c
  left join lateral (
    select r.*, t.status, t.requested_minor, t.currency, t.receipt, p.decision, p.proposed_by
    from reviews r
    join transactions t on t.stream = r.stream
    left join records.review_proposals p on p.stream = r.stream and p.ended_at is null
    where ($1::text is null or r.merchant_id = $1)
      and ($2::text is null or r.mode = $2)
      and ($3::text is null or r.why = $3)
    order by r.position
    limit $4
  ) r on true
  order by r.position`,
};

/**
 * The collections and payouts under review, newest last.
 * @returns `more`: there are further ones behind the limit
 * @throws DependencyUnavailable where the views are being built
 */
export async function listReviews(
  database: Queryable,
  { merchantId, mode, why, limit }: ReviewsFilter,
): Promise<{
  readonly reviews: readonly OpenReview[];
  readonly more: boolean;
  readonly asOf: Instant;
}> {
  const values = [merchantId ?? null, mode ?? null, why ?? null, limit + 1];
  const rows = await database.query<Row>(select, values);
  const { fresh_at } = requireServable(rows[0]);
  const found = rows.flatMap((row) => (row.stream === null ? [] : [reviewFrom(row, row.stream)]));
  return {
    reviews: found.slice(0, limit),
    more: found.length > limit,
    asOf: instantFromMs(fresh_at.getTime()),
  };
}

function reviewFrom(row: Row, stream: string): OpenReview {
  const { decision, proposed_by: proposedBy } = row;
  return {
    stream,
    merchantId: row.merchant_id,
    mode: row.mode,
    reference: row.reference,
    why: row.why,
    flaggedAt: instantFromMs(row.flagged_at.getTime()),
    status: row.status,
    requestedMinor: row.requested_minor,
    currency: row.currency,
    receipt: row.receipt,
    proposal: decision === null || proposedBy === null ? null : { decision, proposedBy },
  };
}
