import { LRUCache } from 'lru-cache';
import {
  type DeliveryTarget,
  type ReadyTarget,
  targetName,
  type TargetShare,
} from '#records/webhooks';

const firstBound = 4;
/** The most attempts in flight to one target, as many as its connections. */
export const maxBound = 64;
/** The number of targets whose state is remembered. */
const maxRemembered = 10_000;

/**
 * Counts the attempts that this worker has in flight, and decides how many more each target may have (WEB-13). The more
 * are in flight to others, the fewer a target may have. If many begin to hang together, the first hold many and the
 * others few, and the last third is given out one by one.
 */
export class TargetBounds {
  readonly #maxInFlight: number;
  readonly #random: () => number;
  readonly #inFlight = new Map<string, number>();
  readonly #bounds = new LRUCache<string, number>({ max: maxRemembered });
  #total = 0;

  /** @param random from 0 inclusive to 1 exclusive */
  constructor({ maxInFlight, random }: { maxInFlight: number; random: () => number }) {
    this.#maxInFlight = maxInFlight;
    this.#random = random;
  }

  get total(): number {
    return this.#total;
  }

  /**
   * Shares the free attempts. Targets with the fewest in flight come first, so if few are free, no target gets a second
   * one before each has one. Retries get half of each share, and an odd one goes to either half at random. So neither
   * retries nor first attempts can keep the others from being sent.
   * @returns for each target that may have more, how many; in total no more than are free
   */
  shares(targets: readonly ReadyTarget[]): readonly TargetShare[] {
    let free = this.#maxInFlight - this.#total;
    const inFlight = (of: ReadyTarget): number => this.#inFlight.get(targetName(of)) ?? 0;
    const leastFirst = targets.toSorted((one, other) => inFlight(one) - inFlight(other));
    return leastFirst.flatMap((target) => {
      const max = this.#more(target, free);
      if (max === 0) return [];
      free -= max;
      return { ...target, max, retries: Math.floor(max / 2 + this.#random()) };
    });
  }

  begin(target: DeliveryTarget): void {
    const name = targetName(target);
    this.#inFlight.set(name, (this.#inFlight.get(name) ?? 0) + 1);
    this.#total += 1;
  }

  /** @param wasTaken undefined if it says nothing about the target */
  end(target: DeliveryTarget, wasTaken: boolean | undefined): void {
    const name = targetName(target);
    const left = (this.#inFlight.get(name) ?? 0) - 1;
    if (left > 0) this.#inFlight.set(name, left);
    else this.#inFlight.delete(name);
    this.#total -= 1;
    if (wasTaken === undefined) return;
    const bound = this.#bounds.get(name) ?? firstBound;
    this.#bounds.set(name, wasTaken ? Math.min(maxBound, bound + 1) : 1);
  }

  #more(target: ReadyTarget, free: number): number {
    const name = targetName(target);
    const inFlight = this.#inFlight.get(name) ?? 0;
    const remembered = this.#bounds.get(name) ?? firstBound;
    // Other workers may have seen failures that this one has not.
    const bound = target.failures > 0 ? 1 : remembered;
    const leftByOthers = (free + inFlight) / this.#maxInFlight;
    const fair = Math.max(1, Math.floor(maxBound * leftByOthers ** 3));
    return Math.max(0, Math.min(free, Math.min(bound, fair) - inFlight));
  }
}
