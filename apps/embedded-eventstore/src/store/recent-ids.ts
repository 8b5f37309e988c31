/**
 * Ids of recently written events, for repetitions with `any` and `stream_exists`: forgotten at a restart and
 * when younger ones fill the budget, as in EventStoreDB.
 *
 * They are kept in two generations: as soon as the young one is full, it becomes the old one, and the old one is dropped
 * as a whole. A Map that drops its oldest key one by one gets slower with uptime, because V8 walks every slot that was
 * deleted before it.
 */
export class RecentIds {
  /** What one entry is taken to cost: key and value strings, numbers, the map's slot. */
  static readonly ENTRY_BYTES = 256;
  readonly #generationSize: number;
  #young = new Map<string, number>();
  #old = new Map<string, number>();

  /** @param budgetBytes what all entries may cost; ids of at least the last half of them are known */
  constructor(budgetBytes = 8 * 1024 * 1024) {
    this.#generationSize = Math.max(1, Math.floor(budgetBytes / RecentIds.ENTRY_BYTES / 2));
  }

  add(streamNumber: number, id: string, revision: number): void {
    const key = `${streamNumber}:${id}`;
    if (this.#young.size >= this.#generationSize && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, revision);
  }

  revision(streamNumber: number, id: string): number | undefined {
    const key = `${streamNumber}:${id}`;
    return this.#young.get(key) ?? this.#old.get(key);
  }
}
