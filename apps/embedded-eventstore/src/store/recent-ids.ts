/**
 * Ids of recently written events, for repetitions with `any` and `stream_exists`: forgotten at a restart and
 * when younger ones fill the budget, as in EventStoreDB.
 */
export class RecentIds {
  /** What one entry is taken to cost: key and value strings, numbers, the map's slot. */
  static readonly ENTRY_BYTES = 256;
  readonly #entries = new Map<string, number>();
  readonly #capacity: number;

  constructor(budgetBytes = 8 * 1024 * 1024) {
    this.#capacity = Math.floor(budgetBytes / RecentIds.ENTRY_BYTES);
  }

  add(streamNumber: number, id: string, revision: number): void {
    const key = `${streamNumber}:${id}`;
    this.#entries.delete(key);
    this.#entries.set(key, revision);
    if (this.#entries.size > this.#capacity) {
      for (const oldest of this.#entries.keys()) {
        this.#entries.delete(oldest);
        break;
      }
    }
  }

  revision(streamNumber: number, id: string): number | undefined {
    return this.#entries.get(`${streamNumber}:${id}`);
  }
}
