/**
 * Ids of recently written events, for repetitions with `any` and `stream_exists`. As in EventStoreDB, they are lost at
 * a restart and when newer ids fill the budget.
 *
 * They are kept in two generations. When the young one is full, it becomes the old one, and the previous old one is
 * dropped as a whole. A Map that drops its oldest keys one by one gets slower with uptime, because V8 walks every slot
 * that was deleted before it.
 */
export class RecentIds {
  /** The assumed cost of one entry: key and value strings, numbers, the map's slot. */
  static readonly ENTRY_BYTES = 256;
  readonly #generationSize: number;
  #young = new Map<string, number>();
  #old = new Map<string, number>();

  /** @param budgetBytes the limit for all entries together; ids of at least the last half of them are known */
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
