import { type NextCode } from '#desk/operators';

type Value = string | number;

/** Each next action, to be read after its actor. The values are those of `NextAction`. */
export const next = {
  decides_review: () => 'decides the review',
  lists_for_review: () => 'lists it for review, if nothing was heard by then',
  waits_for_callback: () =>
    'waits for a callback only: without a rail reference the rail cannot be asked',
  all_queries_made: (count: Value) => `waits for a callback only: all ${count} queries were made`,
  asks_rail: (number: Value, of: Value) => `asks the rail, query ${number} of ${of}`,
  completed: () => 'it is completed, which is final',
  failed: () => 'it has failed; money that came late would be posted, once',
  money_went_back: () => 'the money went back',
  tries_callback: (at: Value, outcome: Value = '') =>
    `tries the callback of ${at} again${outcome === '' ? '' : ` (so far: ${outcome})`}`,
  reserves_payout: () => 'reserves its money, or rejects it',
  approves_payout: (holder: Value) => `approves or rejects it, any but ${holder}`,
  approves_its_batch: (holder: Value, batch: Value) =>
    `approves or rejects its batch ${batch}, any but ${holder}`,
  sends_payout: () => 'sends it, once',
  paused_payout: () => 'sends it, once, when an operator has resumed payouts: they are paused',
  needs_new_approval: () => 'sends it back to be approved anew, if it was not sent by then',
  sends_when_covered: () => 'sends it, once, when the rail’s own account covers it',
  lists_when_not_covered: () => 'lists it for review, if that is not by then',
  asks_about_payout: (question: Value) =>
    `asks the rail, question ${question}; nothing is sent again`,
  posts_late_payout: () => 'posts what the rail paid after its decline',
  payout_failed: () => 'it has failed; what the rail says later that it paid is posted, once',
  payout_rejected: () => 'it is rejected, which is final: nothing was sent',
  reserves_batch: () => 'records and reserves its payouts, or rejects it',
  approves_batch: (holder: Value) => `approves or rejects it, any but ${holder}`,
  sends_batch: (count: Value) => `sends each payout, once; not settled yet: ${count}`,
  batch_cancelled: (count: Value) =>
    `asks the rail about each payout that it was given before the batch was cancelled: ${count}`,
  batch_ended: () => 'each of its payouts has come to its end',
  batch_rejected: () => 'it is rejected, which is final: nothing was sent',
} as const satisfies Record<NextCode, (...values: never[]) => string>;
