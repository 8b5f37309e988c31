import { type Instant, instantFromMs, type Mode } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { requireServable, type Servability } from '#views/view-set';
import { type ReviewCause } from './project.js';

/** A collection or payout that a person is to look at. Amounts in minor units. */
export interface OpenReview {
  readonly stream: string;
  /** The position of the event that put it under review. */
  readonly position: bigint;
  readonly merchantId: string;
  readonly mode: Mode;
  readonly reference: string;
  readonly why: ReviewCause;
  readonly flaggedAt: Instant;
  readonly status: string;
  /** The amount that the merchant requested. */
  readonly requestedMinor: bigint;
  readonly currency: string;
  /** The money of another amount that arrived and waits in suspense; null if none does. */
  readonly heldMinor: bigint | null;
  readonly receipt: string | null;
  /** One operator's ruling that waits for another to confirm it. */
  readonly proposal: { readonly decision: string; readonly proposedBy: string } | null;
}

export interface ReviewsFilter {
  readonly merchantId?: string;
  readonly mode?: Mode;
  readonly why?: ReviewCause;
  /** Only those after this position, the last one of the previous page. */
  readonly after?: bigint;
  readonly limit: number;
}

type Row = Servability & {
  readonly fresh_at: Date;
  readonly stream: string | null;
  readonly position: bigint;
  readonly merchant_id: string;
  readonly mode: Mode;
  readonly reference: string;
  readonly why: ReviewCause;
  readonly flagged_at: Date;
  readonly status: string;
  readonly requested_minor: bigint;
  readonly currency: string;
  readonly held_minor: bigint | null;
  readonly receipt: string | null;
  readonly decision: string | null;
  readonly proposed_by: string | null;
};

/** A proposal that has waited for 24 h is over (REV-6), whenever its end is recorded. */
const isOpen = `p.ended_at is null and p.proposed_at > records.now_() - interval '24 hours'`;

const select = {
  name: 'reviews-list',
  text: `
  select c.fresh_at, r.*
  from checkpoint c
  left join lateral (
    select r.*, t.status, t.requested_minor, t.currency, t.receipt, p.decision, p.proposed_by,
      held.amount_minor as held_minor
    from reviews r
    join transactions t on t.stream = r.stream
    -- The posting to suspense is the event that began the review.
    left join ledger_entries held on held.position = r.position and held.account = 'suspense'
    left join records.review_proposals p on p.stream = r.stream and ${isOpen}
    where ($1::text is null or r.merchant_id = $1)
      and ($2::text is null or r.mode = $2)
      and ($3::text is null or r.why = $3)
      and ($5::bigint is null or r.position > $5)
    order by r.position
    limit $4
  ) r on true
  order by r.position`,
};

/**
 * The collections and payouts under review, newest last.
 * @returns `more`: true if there are more than the limit
 * @throws DependencyUnavailable if the views are being built
 */
export async function listReviews(
  database: Queryable,
  { merchantId, mode, why, after, limit }: ReviewsFilter,
): Promise<{
  readonly reviews: readonly OpenReview[];
  readonly more: boolean;
  readonly asOf: Instant;
}> {
  const values = [merchantId ?? null, mode ?? null, why ?? null, limit + 1, after ?? null];
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
    position: row.position,
    merchantId: row.merchant_id,
    mode: row.mode,
    reference: row.reference,
    why: row.why,
    flaggedAt: instantFromMs(row.flagged_at.getTime()),
    status: row.status,
    requestedMinor: row.requested_minor,
    currency: row.currency,
    heldMinor: row.held_minor,
    receipt: row.receipt,
    proposal: decision === null || proposedBy === null ? null : { decision, proposedBy },
  };
}

/** The money of an item that a review or its proposal is about, in minor units. */
export interface ReviewMoney extends Pick<OpenReview, 'requestedMinor' | 'heldMinor' | 'currency'> {
  readonly stream: string;
  readonly accountNo: string;
  /** The fee on the amount that the merchant requested. */
  readonly feeMinor: bigint;
}

const money = {
  name: 'reviews-money',
  text: `
  select t.stream, t.requested_minor as "requestedMinor", t.currency, held.amount_minor as "heldMinor",
    t.account_no as "accountNo", t.fee_minor as "feeMinor"
  from transactions t
  left join reviews r on r.stream = t.stream
  left join ledger_entries held on held.position = r.position and held.account = 'suspense'
  where t.stream = any($1::text[])`,
};

/** The money of each of these items, by its stream. An item that the views do not hold is left out. */
export async function reviewMoney(
  database: Queryable,
  streams: readonly string[],
): Promise<ReadonlyMap<string, ReviewMoney>> {
  if (streams.length === 0) return new Map();
  const found = await database.query<ReviewMoney>(money, [streams]);
  return new Map(found.map((each) => [each.stream, each]));
}

/** The number of open reviews with one cause, and the oldest time. */
export interface ReviewCount {
  readonly why: ReviewCause;
  readonly mode: Mode;
  readonly open: number;
  readonly oldest: Date;
  /** The number of those with an open proposal. */
  readonly proposed: number;
}

const counts = {
  name: 'reviews-count',
  text: `
  select r.why, r.mode, count(*)::integer as open, min(r.flagged_at) as oldest, count(p.id)::integer as proposed
  from reviews r left join records.review_proposals p on p.stream = r.stream and ${isOpen}
  group by 1, 2 order by min(r.flagged_at)`,
};

/** By cause and mode, longest waiting first. */
export function countReviews(database: Queryable): Promise<ReviewCount[]> {
  return database.query<ReviewCount>(counts);
}

const flagged = {
  name: 'reviews-flagged',
  text: `
  with clock as materialized (select records.now_() as now)
  select floor(extract(epoch from now - flagged_at) / $1)::integer as ago, count(*)::integer as count
  from reviews cross join clock where flagged_at > now - $1 * $2 * interval '1 second'
  group by 1`,
};

/** The number of open reviews that began in each step, counted back from now. */
export function reviewsBegun(
  database: Queryable,
  { stepSeconds, steps }: { readonly stepSeconds: number; readonly steps: number },
): Promise<{ readonly ago: number; readonly count: number }[]> {
  return database.query<{ ago: number; count: number }>(flagged, [stepSeconds, steps]);
}
