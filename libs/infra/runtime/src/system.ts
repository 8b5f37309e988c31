import { Clock, Ids, Timer } from '#domain/kernel';
import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

/** The machine's clock, with CLOCK_OFFSET added. */
export class SystemClock extends Clock {
  /** @param offsetMs milliseconds, 0 except in tests */
  constructor(readonly offsetMs = 0) {
    super();
  }

  nowMs(): number {
    return Date.now() + this.offsetMs;
  }
}

/** The event loop's own timers. */
export class SystemTimer extends Timer {
  /** Written by hand: node:timers/promises makes an error of each pause that is cut short, and most are. */
  override sleep(ms: number, until?: AbortSignal): Promise<void> {
    if (until?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        until?.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      until?.addEventListener('abort', end);
    });
  }
}

/** Random bytes are drawn for this many ids at once: one system call costs as much as many bytes. */
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
