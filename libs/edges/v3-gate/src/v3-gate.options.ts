import { type Logger, type Rate } from '#infra/runtime';
import { type CalendarDate } from '#domain/v3-retirement';

/** Settings of V3's end. */
export class V3GateOptions {
  constructor(
    /** V4_GA_DATE. */
    readonly gaDate: CalendarDate,
    /** BASE_URL, without a trailing slash. The headers' links lead to its /docs. */
    readonly baseUrl: string,
    /** RATE_LIMIT_V3_RESTRICTED, per consumer key. */
    readonly restrictedRate: Rate,
    readonly logger: Logger,
  ) {}
}
