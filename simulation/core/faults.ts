import { Dice } from './dice.js';

/**
 * The only source of faults in a schedule. Each fault has a label of its own. The shrinker removes labels one by one;
 * at the end of a schedule all faults are off.
 */
export class Faults {
  /** The labels of the faults that happened, in order. */
  readonly happened = new Set<string>();
  /** The hostility of this schedule, which multiplies every probability. */
  readonly #hostility: number;
  #off = false;

  constructor(
    private readonly seed: number,
    private readonly spared: ReadonlySet<string>,
  ) {
    const dice = new Dice(seed, 'hostility');
    this.#hostility = dice.pick([0, 0.3, 1, 1, 2, 4]);
  }

  happens(label: string, probability: number): boolean {
    if (this.#off || !new Dice(this.seed, label).chance(probability * this.#hostility))
      return false;
    return this.planned(label);
  }

  /** True if an action in the schedule's plan is still wanted. */
  planned(label: string): boolean {
    if (this.#off || this.spared.has(label)) return false;
    this.happened.add(label);
    return true;
  }

  get areOver(): boolean {
    return this.#off;
  }

  end(): void {
    this.#off = true;
  }
}
