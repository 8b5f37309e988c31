/** When the worker does what on its own, from the same settings that it reads. Milliseconds. */
export class RailSchedule {
  constructor(
    /** RAIL_QUERY_DELAYS, after the intent. */
    readonly queryDelaysMs: readonly number[],
    /** RAIL_REVIEW_AFTER, after the intent. */
    readonly reviewAfterMs: number,
  ) {}
}
