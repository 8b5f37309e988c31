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
  #isApart = false;

  constructor(private readonly logger: Pick<Logger, 'error' | 'info'>) {}

  compare(reading: ClockReading): void {
    const aheadMs = aheadBy(reading);
    const isApart = Math.abs(aheadMs) > toleratedMs;
    if (isApart === this.#isApart) return;
    this.#isApart = isApart;
    if (!isApart) {
      this.logger.info('this machine’s clock agrees with Postgres’ again');
      return;
    }
    const seconds = Math.round(Math.abs(aheadMs) / 1000);
    this.logger.error(
      { code: 'clocks_apart', aheadSeconds: Math.round(aheadMs / 1000) },
      `this machine’s clock is ${seconds} s ${aheadMs > 0 ? 'ahead of' : 'behind'} Postgres’: set the wrong one (NTP), since signed requests are judged by this one`,
    );
  }
}

/** Negative if this process's clock is behind. The time that the answer took counts for neither side. */
function aheadBy({ sentMs, databaseMs, answeredMs }: ClockReading): number {
  if (databaseMs < sentMs) return sentMs - databaseMs;
  return databaseMs > answeredMs ? answeredMs - databaseMs : 0;
}
