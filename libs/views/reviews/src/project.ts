import { type Instant, type Mode } from '#domain/kernel';
import { type RecordedEvent } from '#domain/event-sourcing';
import { type CollectionEvent, type ReviewReason } from '#domain/collections';
import { type PayoutEvent, type PayoutReviewReason } from '#domain/payouts';
import { type Queryable } from '#infra/postgres';
import { type TransactionRow } from '#views/transactions';
import { recordset } from '#views/view-set';

/** The cause of a review: a flag, or money of another amount in suspense. */
export type ReviewCause = ReviewReason | PayoutReviewReason | 'amount_mismatch';

interface ReviewRow {
  readonly stream: string;
  readonly merchant_id: string;
  readonly mode: Mode;
  readonly reference: string;
  readonly why: ReviewCause;
  readonly flagged_at: Instant;
  readonly position: bigint;
}

const upsert = {
  name: 'reviews-upsert',
  text: `
  insert into reviews select * from json_populate_recordset(null::reviews, $1)
  on conflict (stream) do update set
    why = excluded.why, flagged_at = excluded.flagged_at, position = excluded.position`,
};
const remove = {
  name: 'reviews-remove',
  text: `delete from reviews where stream = any($1)`,
};

/**
 * Stores the collections and payouts under review. The transaction's row says if one is; the cause is the last event
 * that put it there.
 * @param rows the transactions that the batch touched
 * @param stored those of them that did not begin in this batch: no others are listed yet
 */
export async function projectReviews(
  transaction: Queryable,
  events: readonly RecordedEvent<CollectionEvent | PayoutEvent>[],
  rows: ReadonlyMap<string, TransactionRow>,
  stored: ReadonlyMap<string, TransactionRow>,
): Promise<void> {
  const begun = new Map<string, ReviewRow>();
  for (const event of events) {
    const [row, why] = [rows.get(event.stream), causeOf(event)];
    if (why && row?.under_review) begun.set(event.stream, reviewRow(row, event, why));
  }
  // A collection that is pending and not under review never was.
  const ended = [...rows.values()].filter(
    (row) =>
      stored.has(row.stream) &&
      !row.under_review &&
      (row.type === 'payout' || row.status !== 'pending'),
  );
  if (begun.size > 0) await transaction.query(upsert, [recordset([...begun.values()])]);
  if (ended.length > 0) await transaction.query(remove, [ended.map(({ stream }) => stream)]);
}

/** The cause for which the event puts its item under review; undefined if it does not. */
export function causeOf(event: CollectionEvent | PayoutEvent): ReviewCause | undefined {
  if (event.type === 'ReviewFlagged') return event.data.why;
  return event.type === 'SuspensePosted' ? 'amount_mismatch' : undefined;
}

function reviewRow(
  { stream, merchant_id, mode, reference }: TransactionRow,
  { recordedAt, position }: RecordedEvent,
  why: ReviewCause,
): ReviewRow {
  return { stream, merchant_id, mode, reference, why, flagged_at: recordedAt, position };
}
