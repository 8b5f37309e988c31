import { Clock } from '#domain/kernel';

/** The machine's clock, with CLOCK_OFFSET added. */
export class SystemClock extends Clock {
  /** @param offsetMs milliseconds, 0 but in tests */
  constructor(readonly offsetMs = 0) {
    super();
  }

  nowMs(): number {
    return Date.now() + this.offsetMs;
  }
}
