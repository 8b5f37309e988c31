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
  ) {}
}

/** What happens next, who does it, and from when on. */
export interface NextAction {
  readonly by: 'service' | 'person' | 'nobody';
  readonly what: string;
  readonly at?: Instant;
}

export function after(instant: Instant, ms: number): Instant {
  return instantFromMs(msFromInstant(instant) + ms);
}
