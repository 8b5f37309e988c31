import { type Rate } from '#infra/runtime';

/** What of the settings this edge needs; the app provides it under this class. */
export class ApiV4Options {
  constructor(
    /** RATE_LIMIT_V4, for a credential without a rate of its own. */
    readonly defaultRate: Rate,
    /** READ_MODEL_MAX_AGE. */
    readonly readModelMaxAgeMs: number,
    /** CREDENTIAL_MEMORY_CAP: nonces and claims of one credential that may be alive; undefined: by its rate. */
    readonly credentialMemoryCap: number | undefined,
  ) {}
}
