/** What of the settings this edge needs; the app provides it under this class. */
export class ApiV3Options {
  constructor(
    /** READ_MODEL_MAX_AGE. */
    readonly readModelMaxAgeMs: number,
    /** WEBHOOK_ALLOW_PRIVATE: then a callback's URL may also be http. */
    readonly allowPrivate: boolean,
  ) {}
}
