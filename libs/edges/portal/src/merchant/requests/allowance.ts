/** Limits for the calls of one key, and of all keys, in each period. */
interface Limits {
  readonly everyMs: number;
  readonly ofOne: number;
  readonly ofAll: number;
}

/** Admits a limited number of calls in each period. */
export class Allowance {
  #period = 0;
  #all = 0;
  readonly #of = new Map<string, number>();

  constructor(private readonly limits: Limits) {}

  admits(key: string, nowMs: number): boolean {
    const { everyMs, ofOne, ofAll } = this.limits;
    const period = Math.floor(nowMs / everyMs);
    if (period !== this.#period) {
      this.#period = period;
      this.#all = 0;
      this.#of.clear();
    }
    if (this.#all >= ofAll) return false;
    const own = this.#of.get(key) ?? 0;
    if (own >= ofOne) return false;
    this.#of.set(key, own + 1);
    this.#all += 1;
    return true;
  }
}
