import { RecentMap } from '#domain/kernel';

/**
 * Ids of recently written events, for repetitions with `any` and `stream_exists`: forgotten at a restart and
 * when younger ones fill the budget, as in EventStoreDB.
 */
export class RecentIds {
  /** What one entry is taken to cost: key and value strings, numbers, the map's slot. */
  static readonly ENTRY_BYTES = 256;
  readonly #entries: RecentMap<string, number>;

  /** @param budgetBytes what all entries may cost; ids of at least the last half of them are known */
  constructor(budgetBytes = 8 * 1024 * 1024) {
    this.#entries = new RecentMap(Math.floor(budgetBytes / RecentIds.ENTRY_BYTES));
  }

  add(streamNumber: number, id: string, revision: number): void {
    this.#entries.set(`${streamNumber}:${id}`, revision);
  }

  revision(streamNumber: number, id: string): number | undefined {
    return this.#entries.get(`${streamNumber}:${id}`);
  }
}
