import { type Instant, instantFromMs, msFromInstant } from '#domain/kernel';

/** When the worker does what on its own, from the same settings that it reads. Milliseconds. */
export class RailSchedule {
  constructor(
    /** RAIL_QUERY_DELAYS, after the intent. */
    readonly queryDelaysMs: readonly number[],
    /** RAIL_REVIEW_AFTER, after the intent; of a payout after its sending. */
    readonly reviewAfterMs: number,
    /** PAYOUT_FLOAT_WAIT, after the rail's float was first missing. */
    readonly floatWaitMs = 0,
    /** PAYOUT_MAX_AGE, after a payout's approval. */
    readonly maxAgeMs = 0,
  ) {}
}

/** What happens next. Where a sentence of it has places to fill in, `values` are those, in this order. */
export type NextCode =
  | 'decides_review'
  | 'lists_for_review'
  | 'waits_for_callback'
  /** How many. */
  | 'all_queries_made'
  /** Which, of how many. */
  | 'asks_rail'
  | 'completed'
  | 'failed'
  | 'money_went_back'
  /** When it was received; how the last try ended, where there was one. */
  | 'tries_callback'
  | 'reserves_payout'
  /** Who asked. */
  | 'approves_payout'
  /** Who asked, and the batch. */
  | 'approves_its_batch'
  | 'sends_payout'
  | 'paused_payout'
  | 'needs_new_approval'
  | 'sends_when_covered'
  | 'lists_when_not_covered'
  /** Which question. */
  | 'asks_about_payout'
  | 'posts_late_payout'
  | 'payout_failed'
  | 'payout_rejected'
  | 'reserves_batch'
  /** Who asked. */
  | 'approves_batch'
  /** How many are not settled. */
  | 'sends_batch'
  /** How many wait for the rail. */
  | 'batch_cancelled'
  | 'batch_ended'
  | 'batch_rejected';

/** What happens next, who does it, and from when on. */
export interface NextAction {
  readonly by: 'service' | 'person' | 'nobody';
  readonly code: NextCode;
  readonly values?: readonly (string | number)[];
  /** In English, as the command line says it. */
  readonly what: string;
  readonly at?: Instant;
}

export function after(instant: Instant, ms: number): Instant {
  return instantFromMs(msFromInstant(instant) + ms);
}
