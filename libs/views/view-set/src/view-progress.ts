import { setTimeout as sleep } from 'node:timers/promises';
import { type Queryable } from '#infra/postgres';
import { readCheckpoint } from './view-set.js';

interface Waiting {
  readonly position: bigint;
  /** By the monotonic clock. */
  readonly untilMs: number;
  readonly resolve: (reached: boolean) => void;
  readonly reject: (error: unknown) => void;
}

const pollEveryMs = 20;

/**
 * Waits until the views hold the log up to a position. However many wait, one poll of the checkpoint serves them
 * all, and nobody polls while nobody waits.
 */
export class ViewProgress {
  /** The checkpoint as last seen. It only rises: a rebuilt set is swapped in once it has caught up. */
  #known = 0n;
  readonly #waiting = new Set<Waiting>();
  #polling = false;

  constructor(private readonly database: Queryable) {}

  /** Whether the views were seen to hold the log up to the position. */
  holds(position: bigint): boolean {
    return position <= this.#known;
  }

  /**
   * @returns false where the views do not get there in time
   * @throws DependencyUnavailable
   */
  reach(position: bigint, withinMs: number): Promise<boolean> {
    if (this.holds(position)) return Promise.resolve(true);
    return new Promise((resolve, reject) => {
      const untilMs = performance.now() + withinMs;
      this.#waiting.add({ position, untilMs, resolve, reject });
      if (!this.#polling) void this.#poll();
    });
  }

  async #poll(): Promise<void> {
    this.#polling = true;
    try {
      while (this.#waiting.size > 0) {
        const { position } = await readCheckpoint(this.database);
        if (position > this.#known) this.#known = position;
        this.#settle();
        if (this.#waiting.size > 0) await sleep(pollEveryMs);
      }
    } catch (error) {
      for (const waiting of this.#waiting) waiting.reject(error);
      this.#waiting.clear();
    } finally {
      this.#polling = false;
    }
  }

  #settle(): void {
    const now = performance.now();
    for (const waiting of this.#waiting) {
      const reached = this.holds(waiting.position);
      if (!reached && now < waiting.untilMs) continue;
      this.#waiting.delete(waiting);
      waiting.resolve(reached);
    }
  }
}
