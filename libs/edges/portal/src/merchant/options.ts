import { type Logger } from '#infra/runtime';

/** What of the settings a merchant's pages need; the app provides it under this class. */
export class MerchantPagesOptions {
  constructor(
    /** READ_MODEL_MAX_AGE. */
    readonly readModelMaxAgeMs: number,
    readonly logger: Logger,
  ) {}
}
