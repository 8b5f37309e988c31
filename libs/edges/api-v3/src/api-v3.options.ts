/** The paths of V3: the documented one, and that of old base URLs. */
export const prefixes = ['api/v3', 'v3'];

/** Settings that this edge needs. The app provides them under this class. */
export class ApiV3Options {
  constructor(
    /** READ_MODEL_MAX_AGE. */
    readonly readModelMaxAgeMs: number,
    /** WEBHOOK_ALLOW_PRIVATE: if true, a callback's URL may also be http. */
    readonly allowPrivate: boolean,
  ) {}
}
