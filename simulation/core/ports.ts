import { Clock, Ids, Timer } from '#domain/kernel';
import { Dice } from './dice.js';
import { type Life } from './life.js';

/** Virtual time, as a process reads it. */
export class VirtualClock extends Clock {
  constructor(private readonly life: Life) {
    super();
  }

  override nowMs(): number {
    return Math.floor(this.life.world.nowMs);
  }
}

export class VirtualTimer extends Timer {
  /**
   * @param housekeepingFromMs pauses of at least this length only repeat steps that change nothing while all is quiet
   */
  constructor(
    private readonly life: Life,
    private readonly housekeepingFromMs = Number.POSITIVE_INFINITY,
  ) {
    super();
  }

  override sleep(ms: number, until?: AbortSignal): Promise<void> {
    if (until?.aborted) return Promise.resolve();
    const { life, housekeepingFromMs } = this;
    const { world } = life;
    return new Promise((resolve) => {
      if (life.isOver) return;
      const tie = new Dice(world.seed, life.label(`sleeps ${ms} ms`)).bits();
      const isHousekeeping = ms >= housekeepingFromMs;
      const abort = (): void => {
        world.scheduler.remove(task);
        resolve();
      };
      const run = (): void => {
        until?.removeEventListener('abort', abort);
        resolve();
      };
      const task = { dueMs: world.nowMs + ms, tie, owner: life, isHousekeeping, run };
      world.scheduler.add(task);
      until?.addEventListener('abort', abort, { once: true });
    });
  }
}

/** Makes ids in the form of UUIDs, as different from each other as random ones. */
export class SeededIds extends Ids {
  constructor(private readonly life: Life) {
    super();
  }

  override next(): string {
    const dice = new Dice(this.life.world.seed, this.life.label('id'));
    const hex = Array.from({ length: 4 }, () => dice.bits().toString(16).padStart(8, '0')).join('');
    return [
      hex.slice(0, 8),
      hex.slice(8, 12),
      `7${hex.slice(13, 16)}`,
      `8${hex.slice(17, 20)}`,
      hex.slice(20),
    ].join('-');
  }
}
