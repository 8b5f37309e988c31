/** What a process knows of rows that it wrote or read lately. */
export interface Remembered<Value> {
  /** Undefined where it is not known, which says nothing of the row. */
  get(key: string): Value | undefined;
  set(key: string, value: Value): void;
}

/**
 * Values that were used lately, in two generations: where the young one is full it becomes the old one, and what nobody
 * asked for since is forgotten. What was set since the turn before the last one is always known.
 */
export class Generations<Value> implements Remembered<Value> {
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  /** @param max values of a generation, as `turn` finds it */
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

  /** Forgets, where there is too much. */
  turn(): void {
    if (this.#young.size <= this.max) return;
    this.#old = this.#young;
    this.#young = new Map();
  }
}
