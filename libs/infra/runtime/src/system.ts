import { Clock, Ids, Timer } from '#domain/kernel';
import { setTimeout as sleep } from 'node:timers/promises';
import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

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

/** The event loop's own timers. */
export class SystemTimer extends Timer {
  override async sleep(ms: number, until?: AbortSignal): Promise<void> {
    // Aborting is how a pause is cut short, so it is no failure.
    await sleep(ms, undefined, until ? { signal: until } : {}).catch(() => undefined);
  }
}

/** Random bytes are drawn for this many ids at once: one call to the system costs as much as many bytes. */
const idsPerDraw = 256;
const bytesPerId = 16;

/** Random UUIDs of version 7: in order of time, so that indexes on them grow at one end. */
export class UuidIds extends Ids {
  readonly #drawn = new Uint8Array(idsPerDraw * bytesPerId);
  #used = this.#drawn.length;

  next(): string {
    if (this.#used === this.#drawn.length) {
      randomFillSync(this.#drawn);
      this.#used = 0;
    }
    const from = this.#used;
    this.#used += bytesPerId;
    return v7({ random: this.#drawn.subarray(from, this.#used) });
  }
}
