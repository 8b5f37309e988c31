/** A cache of rows that this process wrote or read recently. */
export interface Remembered<Value> {
  /** Undefined if it is not cached, which says nothing about the row. */
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
}

/**
 * Recently used values, in two generations: when the young one is full it becomes the old one, and values that were not
 * used since are dropped. A value that was set after the last turn but one is always present.
 */
export class Generations<Value> implements Remembered<Value> {
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  /** @param max number of values per generation above which `turn` starts a new one */
  constructor(private readonly max: number) {}

  get(key: string): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.#young.set(key, old);
    return old;
  }

  set(key: string, value: Value): void {
    this.#young.set(key, value);
  }

  /** Drops old values if there are too many. */
  turn(): void {
    if (this.#young.size <= this.max) return;
    this.#old = this.#young;
    this.#young = new Map();
  }
}
