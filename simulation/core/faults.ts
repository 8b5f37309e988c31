import { Dice } from './dice.js';

/**
 * Whatever goes wrong in a schedule goes wrong because it was asked for here, under a label of its own. The
 * shrinker takes labels away one by one; at the end of a schedule all faults are off.
 */
export class Faults {
  /** The labels of what went wrong, in order. */
  readonly happened = new Set<string>();
  /** How hostile this schedule is: it multiplies every probability. */
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

  /** For what the schedule's plan holds already: whether it is still wanted. */
  planned(label: string): boolean {
    if (this.#off || this.spared.has(label)) return false;
    this.happened.add(label);
    return true;
  }

  end(): void {
    this.#off = true;
  }
}
