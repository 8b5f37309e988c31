import { type Logger } from '#infra/runtime';

/** Settings that a merchant's pages need. The app provides them under this class. */
export class MerchantPagesOptions {
  constructor(
    /** READ_MODEL_MAX_AGE. */
    readonly readModelMaxAgeMs: number,
    readonly logger: Logger,
    /** V4_GA_DATE. */
    readonly v4GaDate: string,
  ) {}
}
