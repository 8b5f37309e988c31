import { type ReviewCause } from '#views/reviews';

/** The cause of a review in a sentence. */
export const causes = {
  no_word_from_rail: 'The rail has said nothing for too long: was it paid?',
  amount_mismatch: 'Different amount received. It is held in suspense.',
  second_receipt: 'The rail named a second receipt: was it paid twice?',
  receipt_amount_differs:
    'The receipt came with another amount than was posted, is held or was sent back.',
  other_checkout:
    'The rail says that a payment under another checkout id, which a callback named, was made: for whom?',
  checkout_of_another:
    'The rail named one checkout id for this and for another collection: who paid?',
  amount_unreadable: 'Posted after a query; the amount in the callback cannot be read.',
  duplicate_receipt:
    'Another collection, payout or correction bears its receipt: one payment is posted once.',
  paid_after_decline: 'The rail paid a payout that it had declined: the wallet may be overdrawn.',
  declined_after_payment: 'The rail’s own report denies what was posted: was it paid?',
  payout_amount_differs: 'The rail says that it paid another amount out: what left its account?',
  payout_amount_unreadable:
    'The rail says that it paid the payout, and its amount cannot be read: what left its account?',
  float_missing: 'The rail’s own account has not covered the payout for too long: top it up.',
  phone_missing: 'The payout’s number is gone from the records, so it cannot be sent.',
  given_before:
    'The records know that the rail was given this payout, and the log has lost it: was it paid?',
  paid_unsent:
    'The rail says that it paid a payout that was never sent, as far as the log knows: look at its receipt.',
  found_at_rail: 'The rail says that it took this payment, and no query settles it.',
  opened_by_operator: 'An operator has found it on the rail’s statement.',
} as const satisfies Record<ReviewCause, string>;
