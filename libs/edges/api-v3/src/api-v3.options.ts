/** Where V3 is served: its documented place, and that of old base URLs. */
export const prefixes = ['api/v3', 'v3'];

/** What of the settings this edge needs; the app provides it under this class. */
export class ApiV3Options {
  constructor(
    /** READ_MODEL_MAX_AGE. */
    readonly readModelMaxAgeMs: number,
    /** WEBHOOK_ALLOW_PRIVATE: then a callback's URL may also be http. */
    readonly allowPrivate: boolean,
  ) {}
}
