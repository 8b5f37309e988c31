import { type NextCode } from '#desk/operators';

type Value = string | number;

/** Each next action, to be read after its actor. The values are those of `NextAction`. */
export const next = {
  decides_review: () => 'decides the review',
  lists_for_review: () => 'opens a review, if there is no result by then',
  waits_for_callback: () => 'waits for a callback; without a rail reference it cannot ask the rail',
  all_queries_made: (count: Value) => `waits for a callback; all ${count} status queries were made`,
  asks_rail: (number: Value, of: Value) => `asks the rail, status query ${number} of ${of}`,
  completed: () => 'completed, which is final',
  failed: () => 'failed; money that arrives late is still posted, once',
  money_went_back: () => 'the money was returned',
  tries_callback: (at: Value, outcome: Value = '') =>
    `tries the callback of ${at} again${outcome === '' ? '' : ` (so far: ${outcome})`}`,
  reserves_payout: () => 'reserves its money, or rejects it',
  approves_payout: (holder: Value) => `approves or rejects it, but not ${holder}`,
  approves_its_batch: (holder: Value, batch: Value) =>
    `approves or rejects its batch ${batch}, but not ${holder}`,
  sends_payout: () => 'sends it, once',
  paused_payout: () => 'sends it, once, when an operator resumes payouts',
  needs_new_approval: () => 'asks for a new approval, if it is not sent by then',
  sends_when_covered: () => 'sends it, once, when the rail’s account has enough',
  lists_when_not_covered: () => 'opens a review, if the account is still too low by then',
  asks_about_payout: (question: Value) =>
    `asks the rail, status query ${question}; nothing is sent again`,
  posts_late_payout: () => 'posts the payment that the rail made after it declined',
  payout_failed: () => 'failed; if the rail later reports it as paid, it is posted, once',
  payout_rejected: () => 'rejected, which is final; nothing was sent',
  reserves_batch: () => 'records and reserves its payouts, or rejects it',
  approves_batch: (holder: Value) => `approves or rejects it, but not ${holder}`,
  sends_batch: (count: Value) => `sends each payout, once; not settled yet: ${count}`,
  batch_cancelled: (count: Value) =>
    `asks the rail about payouts that it received before the batch was cancelled: ${count}`,
  batch_ended: () => 'every payout has ended',
  batch_rejected: () => 'rejected, which is final; nothing was sent',
} as const satisfies Record<NextCode, (...values: never[]) => string>;
