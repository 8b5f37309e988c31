import { type Rate } from '#infra/runtime';

/** Settings that this edge needs. The app provides them under this class. */
export class ApiV4Options {
  constructor(
    /** RATE_LIMIT_V4, for a credential without a rate of its own. */
    readonly defaultRate: Rate,
    /** READ_MODEL_MAX_AGE. */
    readonly readModelMaxAgeMs: number,
    /** CREDENTIAL_MEMORY_CAP: the most live nonces and claims of one credential; if undefined, its rate decides. */
    readonly credentialMemoryCap: number | undefined,
  ) {}
}
