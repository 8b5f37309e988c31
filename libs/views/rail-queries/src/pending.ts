import { type Instant, instantFromMs, type Mode } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';

/** A collection that waits for the rail's report. Amounts in minor units. */
export interface PendingCollection {
  readonly merchantId: string;
  readonly mode: Mode;
  readonly reference: string;
  readonly amountMinor: bigint;
  readonly currency: string;
  /** Null if the push was not answered: it is unknown if a prompt was shown. */
  readonly railReference: string | null;
  readonly createdAt: Instant;
  readonly underReview: boolean;
}

interface Row {
  readonly merchant_id: string;
  readonly mode: Mode;
  readonly reference: string;
  readonly requested_minor: bigint;
  readonly currency: string;
  readonly rail_reference: string | null;
  readonly created_at: Date;
  readonly under_review: boolean;
}

// Selects collections that wait for the rail or for a person's decision. Declined ones are too many to read: all that
// ever were.
const select = `
  select t.merchant_id, t.mode, t.reference, t.requested_minor, t.currency, t.rail_reference, t.created_at,
      t.under_review
    from (select stream from rail_queries where not declined union select stream from reviews) as waiting
    join transactions t on t.stream = waiting.stream
    where t.status = 'pending' and t.type = 'collection'
      and ($1::text is null or t.merchant_id = $1)
      and ($2::text is null or t.mode = $2)
    order by t.position
    limit $3`;

/** Oldest first. */
export async function listPending(
  database: Queryable,
  filter: { readonly merchantId?: string; readonly mode?: Mode; readonly limit: number },
): Promise<readonly PendingCollection[]> {
  const values = [filter.merchantId ?? null, filter.mode ?? null, filter.limit];
  const rows = await database.query<Row>(select, values);
  return rows.map((row) => ({
    merchantId: row.merchant_id,
    mode: row.mode,
    reference: row.reference,
    amountMinor: row.requested_minor,
    currency: row.currency,
    railReference: row.rail_reference,
    createdAt: instantFromMs(row.created_at.getTime()),
    underReview: row.under_review,
  }));
}
