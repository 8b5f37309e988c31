import { randomFillSync } from 'node:crypto';
import { Ids } from '#domain/kernel';
import { v7 } from 'uuid';

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
