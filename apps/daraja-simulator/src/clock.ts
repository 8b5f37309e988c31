import { Clock } from '#domain/kernel';

/** The machine's clock moved by CLOCK_OFFSET, so that calendars can be walked by restarts. */
export class OffsetClock extends Clock {
  constructor(private readonly offsetMs: number) {
    super();
  }

  nowMs(): number {
    return Date.now() + this.offsetMs;
  }
}
