/** How old the views may be that answer a merchant. */
export interface ReadBound {
  /** READ_MODEL_MAX_AGE. */
  readonly maxAgeMs: number;
}
