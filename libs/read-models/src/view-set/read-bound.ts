/** How old the views may be that answer a merchant. */
export interface ReadBound {
  /** Milliseconds of the epoch, by the Clock. */
  readonly nowMs: number;
  /** READ_MODEL_MAX_AGE. */
  readonly maxAgeMs: number;
}
