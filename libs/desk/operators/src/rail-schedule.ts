import { type Instant, instantFromMs, msFromInstant } from '#domain/kernel';

/** The times at which the worker acts by itself, from the settings that it reads. Milliseconds. */
export class RailSchedule {
  constructor(
    /** RAIL_QUERY_DELAYS, after the intent. */
    readonly queryDelaysMs: readonly number[],
    /** RAIL_REVIEW_AFTER, after the intent; for a payout, after it was sent. */
    readonly reviewAfterMs: number,
    /** PAYOUT_FLOAT_WAIT, after the rail's float was first missing. */
    readonly floatWaitMs = 0,
    /** PAYOUT_MAX_AGE, after a payout's approval. */
    readonly maxAgeMs = 0,
  ) {}
}

/** Codes of the next steps. If a code's sentence has placeholders, `values` fills them, in this order. */
export type NextCode =
  | 'decides_review'
  | 'lists_for_review'
  | 'waits_for_callback'
  /** The number of queries. */
  | 'all_queries_made'
  /** The number of this query, and of all. */
  | 'asks_rail'
  | 'completed'
  | 'failed'
  | 'money_went_back'
  /** The time of receipt; the result of the last attempt, if there was one. */
  | 'tries_callback'
  | 'reserves_payout'
  /** The requester. */
  | 'approves_payout'
  /** The requester, and the batch. */
  | 'approves_its_batch'
  | 'sends_payout'
  | 'paused_payout'
  | 'needs_new_approval'
  | 'sends_when_covered'
  | 'lists_when_not_covered'
  /** The number of the question. */
  | 'asks_about_payout'
  | 'posts_late_payout'
  | 'payout_failed'
  | 'payout_rejected'
  | 'reserves_batch'
  /** The requester. */
  | 'approves_batch'
  /** The number of payouts that are not settled. */
  | 'sends_batch'
  /** The number of payouts that wait for the rail. */
  | 'batch_cancelled'
  | 'batch_ended'
  | 'batch_rejected';

/** The next step, who takes it, and the earliest time. */
export interface NextAction {
  readonly by: 'service' | 'person' | 'nobody';
  readonly code: NextCode;
  readonly values?: readonly (string | number)[];
  readonly at?: Instant;
}

export function after(instant: Instant, ms: number): Instant {
  return instantFromMs(msFromInstant(instant) + ms);
}
