import { type CollectionEvent } from '#domain/collections';
import { type PayoutEvent } from '#domain/payouts';
import { type RecordedEvent } from '#domain/event-sourcing';
import { type Instant } from '#domain/kernel';
import { type ReviewCause } from '#views/reviews';

/** Each cause in a sentence, for the person on call. */
export const causes = {
  no_word_from_rail: 'the rail has said nothing for too long: was it paid?',
  amount_mismatch: 'another amount arrived than was asked for, and waits in suspense',
  second_receipt: 'the rail named a second receipt: was it paid twice?',
  receipt_amount_differs:
    'the receipt came with another amount than was posted, is held or was sent back',
  other_checkout:
    'the rail says that a payment under another checkout id, which a callback named, was made: for whom?',
  checkout_of_another: 'the rail named one checkout id for this collection and for another one',
  amount_unreadable: 'posted on a query’s word; the amount in the callback cannot be read',
  duplicate_receipt:
    'another collection, payout or correction bears its receipt: one payment is posted once',
  paid_after_decline: 'the rail paid a payout that it had declined: the wallet may be overdrawn',
  declined_after_payment: 'the rail’s own report denies what was posted: was it paid?',
  payout_amount_differs: 'the rail says that it paid another amount out: what left its account?',
  payout_amount_unreadable:
    'the rail says that it paid the payout, and its amount cannot be read: what left its account?',
  float_missing: 'the rail’s own account has not covered the payout for too long: top it up',
  phone_missing: 'the payout’s number is gone from the records, so it cannot be sent',
  given_before:
    'the records know that the rail was given this payout, and the log has lost it: was it paid?',
  paid_unsent:
    'the rail says that it paid a payout that was never sent, as far as the log knows: see its receipt below',
  found_at_rail:
    'the rail says that it took this payment, and no query settles it: npx pesapost reconcile missed',
  opened_by_operator: 'an operator has found it on the rail’s statement',
} as const satisfies Record<ReviewCause, string>;

/** The last cause that brought the collection or payout under review. Call it only while the item is under review. */
export function causeOf(
  events: readonly RecordedEvent<CollectionEvent | PayoutEvent>[],
): { readonly why: ReviewCause; readonly since: Instant } | undefined {
  for (const event of events.toReversed()) {
    if (event.type === 'ReviewFlagged') return { why: event.data.why, since: event.recordedAt };
    if (event.type === 'SuspensePosted') return { why: 'amount_mismatch', since: event.recordedAt };
  }
  return undefined;
}
