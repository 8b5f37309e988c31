import { type ReviewReason } from '../collection.events.js';

/**
 * The report of the rail that answers each question of a review. Only a person answers `nothing`: other money may have
 * been meant for the collection, or its money for others. A decline, or a refusal of the push, answers only a timeout.
 */
const answeredBy: Readonly<Record<ReviewReason, 'payment_and_decline' | 'payment' | 'nothing'>> = {
  receipt_amount_differs: 'payment_and_decline',
  second_receipt: 'payment_and_decline',
  declined_after_payment: 'payment_and_decline',
  no_word_from_rail: 'payment_and_decline',
  amount_unreadable: 'payment_and_decline',
  opened_by_operator: 'payment',
  found_at_rail: 'payment',
  other_checkout: 'nothing',
  checkout_of_another: 'nothing',
  duplicate_receipt: 'nothing',
  account_not_named: 'nothing',
};

const reasons = Object.keys(answeredBy) as readonly ReviewReason[];

/** Questions that the collection's own payment leaves open. */
export const unansweredByPayment = reasons.filter((why) => answeredBy[why] === 'nothing');

/** Questions that a decline leaves open. */
export const unansweredByDecline = reasons.filter(
  (why) => answeredBy[why] !== 'payment_and_decline',
);
