import { type CollectionEvent } from '#domain/collections';
import { type PayoutEvent } from '#domain/payouts';
import { type RecordedEvent } from '#domain/event-sourcing';
import { type Instant } from '#domain/kernel';
import { type ReviewCause } from '#views/reviews';

/** The last cause that brought the collection or payout under review. Call it only while the item is under review. */
export function openReviewCause(
  events: readonly RecordedEvent<CollectionEvent | PayoutEvent>[],
): { readonly why: ReviewCause; readonly since: Instant } | undefined {
  for (const event of events.toReversed()) {
    if (event.type === 'ReviewFlagged') return { why: event.data.why, since: event.recordedAt };
    if (event.type === 'SuspensePosted') return { why: 'amount_mismatch', since: event.recordedAt };
  }
  return undefined;
}
