import { type ReviewReason } from '../collection.events.js';

/**
 * Questions that the collection's own payment does not answer: other money may have been meant for it, or for others.
 */
export const unansweredByPayment: readonly ReviewReason[] = [
  'other_checkout',
  'checkout_of_another',
  'duplicate_receipt',
];

/** A decline, or a refusal of the push, answers only a timeout. These questions stay open. */
export const unansweredByDecline: readonly ReviewReason[] = [
  ...unansweredByPayment,
  'opened_by_operator',
  'found_at_rail',
];
