/**
 * A map of recently set entries, in two generations. When the young one is full, it becomes the old one, and the
 * previous old one is dropped as a whole. At least the last half of the capacity is always known, and never more than
 * the capacity.
 *
 * A Map that drops its oldest key one by one gets slower with uptime: to find that key, V8 walks every slot that was
 * deleted before it.
 */
export class RecentMap<Key, Value extends string | number | boolean | bigint | object> {
  readonly #generationSize: number;
  #young = new Map<Key, Value>();
  #old = new Map<Key, Value>();

  /** @param capacity the maximum number of entries; 2 or more */
  constructor(capacity: number) {
    this.#generationSize = Math.max(1, Math.floor(capacity / 2));
  }

  get(key: Key): Value | undefined {
    return this.#young.get(key) ?? this.#old.get(key);
  }

  set(key: Key, value: Value): void {
    if (this.#young.size >= this.#generationSize && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }

  delete(key: Key): void {
    this.#young.delete(key);
    this.#old.delete(key);
  }
}
