import { type DecisionMeaning } from '#desk/operators';

/** The effect of each decision. */
export const meanings = {
  paid_posts: 'It was paid. Posts it. A different amount goes to suspense.',
  paid_stands: 'The posting is right. Closes the review and moves no money.',
  failed_ends: 'It was not paid. Closes the review. Money that arrives late is still posted.',
  failed_fails: 'It was not paid. Fails at once. Money that arrives late is still posted.',
  suspense_to_merchant: 'The money belongs to the merchant. Posts it, less the fee.',
  refunded_suspense:
    'The money went back to the customer. Takes it out of suspense, and the collection fails.',
  refunded_outside:
    'The extra money went back to the customer, outside the ledger. Closes the review and moves no money.',
  payout_paid_late:
    'It was paid after all. Reserves it again, even without enough balance, and posts it.',
  payout_paid_posts: 'It was paid. Posts it.',
  payout_failed_unsent: 'It will not be sent. Rejects it and releases its money.',
  payout_failed_ends:
    'It was not paid. Closes the review. If the rail later reports it as paid, it is still posted.',
  payout_failed_frees:
    'It was not paid. Releases its money. If it was paid after all, that money can be spent twice.',
} as const satisfies Record<DecisionMeaning, string>;
