import { type DecisionMeaning } from '#desk/operators';

/** The effect of each decision. */
export const meanings = {
  paid_posts:
    'It was paid: posts it; if the amount is not the one asked for, holds it in suspense.',
  paid_stands: 'The posting is right: ends the review, moves no money.',
  failed_ends: 'It was not paid: ends the review; money that came late would still be posted.',
  failed_fails: 'It was not paid: fails at once; money that came late would still be posted.',
  suspense_to_merchant: 'The money that arrived is the merchant’s: posts it, less the fee on it.',
  refunded_suspense:
    'The money that arrived went back to the customer: takes it out of suspense, and the collection fails.',
  refunded_outside:
    'The additional money went back to the customer, outside the ledger: ends the review, moves nothing.',
  payout_paid_late:
    'It was paid after all: reserves it again, whatever is available, and posts it.',
  payout_paid_posts: 'It was paid: posts it.',
  payout_failed_unsent: 'It will not be sent: rejects it and frees its money.',
  payout_failed_ends:
    'It was not paid: ends the review; a success that is reported later would still be posted.',
  payout_failed_frees:
    'It was not paid: frees its money. If it was paid, that money can be spent twice.',
} as const satisfies Record<DecisionMeaning, string>;
