/**
 * Random draws that depend only on the seed and a label, not on the number of draws before. A schedule without one
 * action or fault keeps all others unchanged, which shrinking needs. FNV-1a over the label, then splitmix32.
 */
export class Dice {
  #state: number;

  constructor(seed: number, label: string) {
    let hash = (0x811c9dc5 ^ seed) >>> 0;
    for (let index = 0; index < label.length; index += 1)
      hash = Math.imul(hash ^ label.charCodeAt(index), 0x01000193);
    this.#state = hash ^ Math.imul(seed, 0x9e3779b9);
  }

  /** Returns 32 random bits. */
  bits(): number {
    this.#state = (this.#state + 0x9e3779b9) | 0;
    let mixed = this.#state ^ (this.#state >>> 16);
    mixed = Math.imul(mixed, 0x21f0aaad);
    mixed ^= mixed >>> 15;
    mixed = Math.imul(mixed, 0x735a2d97);
    return (mixed ^ (mixed >>> 15)) >>> 0;
  }

  /** Returns a number from 0, inclusive, to 1, exclusive. */
  fraction(): number {
    return this.bits() / 2 ** 32;
  }

  /** Returns a whole number, both ends included. */
  between(min: number, max: number): number {
    return min + Math.floor(this.fraction() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(from: readonly [T, ...T[]]): T {
    return from[this.between(0, from.length - 1)] ?? from[0];
  }
}
