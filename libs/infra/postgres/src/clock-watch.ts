import { type Logger } from '#infra/runtime';

/** One reading of the database's clock, between two of this process's own, in milliseconds of the Unix epoch. */
export interface ClockReading {
  readonly sentMs: number;
  readonly databaseMs: number;
  readonly answeredMs: number;
}

/** Clocks that are kept together (NTP) differ by milliseconds. */
const toleratedMs = 5000;

/**
 * Reports once that this process's clock and the database's have moved apart, and once that they agree again. The former
 * judges signed requests, the latter leases and times at which work is due.
 */
export class ClockWatch {
  #aheadSeconds = 0;

  constructor(private readonly logger: Pick<Logger, 'error' | 'info'>) {}

  /** By how much this process's clock is ahead; negative if it is behind, 0 if the clocks agree. */
  get aheadSeconds(): number {
    return this.#aheadSeconds;
  }

  compare(reading: ClockReading): void {
    const aheadMs = aheadBy(reading);
    const wasApart = this.#aheadSeconds !== 0;
    const isApart = Math.abs(aheadMs) > toleratedMs;
    const aheadSeconds = isApart ? Math.round(aheadMs / 1000) : 0;
    this.#aheadSeconds = aheadSeconds;
    if (isApart === wasApart) return;
    if (isApart)
      this.logger.error(
        { code: 'clocks_apart', aheadSeconds },
        `this machine’s clock is ${apartText(aheadSeconds)} Postgres’: set the wrong one (NTP), since signed requests are judged by this one`,
      );
    else this.logger.info('this machine’s clock agrees with Postgres’ again');
  }
}

/** `600 s ahead of`, or `600 s behind`. */
export function apartText(aheadSeconds: number): string {
  return `${Math.abs(aheadSeconds)} s ${aheadSeconds > 0 ? 'ahead of' : 'behind'}`;
}

/** Negative if this process's clock is behind. The time that the answer took counts for neither side. */
function aheadBy({ sentMs, databaseMs, answeredMs }: ClockReading): number {
  if (databaseMs < sentMs) return sentMs - databaseMs;
  return databaseMs > answeredMs ? answeredMs - databaseMs : 0;
}
