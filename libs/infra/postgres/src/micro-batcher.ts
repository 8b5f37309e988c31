import { DependencyUnavailable } from '#domain/kernel';

export interface MicroBatcherOptions<Item, Answer> {
  /**
   * Handles all items at once, and answers in the items' order. If it throws, all its items fail. If it throws
   * DependencyUnavailable, the items that wait fail as well.
   */
  readonly flush: (items: readonly Item[]) => Promise<readonly Answer[]>;
  /** Maximum number of items per flush. */
  readonly maxBatch?: number;
  /** Maximum number of waiting items; beyond it a caller is refused at once. */
  readonly maxQueue?: number;
  /** Maximum number of flushes in flight. */
  readonly maxInFlight?: number;
  /**
   * After a batch of at least `minBatchToGather` items, the next flush waits a few milliseconds to collect more: each
   * statement and each commit has a cost.
   */
  readonly gathers?: true;
  /** The wait in milliseconds; items that no caller waits for may gather for longer. */
  readonly gatherMs?: number;
}

/** After a batch of at least this size, the next flush waits a few milliseconds to collect more. */
const minBatchToGather = 4;
const usualGatherMs = 6;

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Group commit: items that arrive while a flush is in flight go with the next one. A lone caller does not wait; under
 * load a statement carries many rows.
 */
export class MicroBatcher<Item, Answer> {
  readonly #flush: MicroBatcherOptions<Item, Answer>['flush'];
  readonly #maxBatch: number;
  readonly #maxQueue: number;
  readonly #maxInFlight: number;
  readonly #gathers: boolean;
  readonly #gatherMs: number;
  #queue: Waiting<Item, Answer>[] = [];
  #inFlight = 0;
  #isGathering = false;

  constructor(options: MicroBatcherOptions<Item, Answer>) {
    const { flush, maxBatch = 256, maxQueue = 4096, maxInFlight = 1, gathers = false } = options;
    this.#gatherMs = options.gatherMs ?? usualGatherMs;
    this.#flush = flush;
    this.#maxBatch = maxBatch;
    this.#maxQueue = maxQueue;
    this.#maxInFlight = maxInFlight;
    this.#gathers = gathers;
  }

  /** @throws DependencyUnavailable if too many wait; the errors of the flush */
  add(item: Item): Promise<Answer> {
    if (this.#queue.length >= this.#maxQueue)
      return Promise.reject(new DependencyUnavailable('postgres', 'too many rows wait'));
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, resolve, reject });
      // Not at once, so that callers of the same turn of the event loop go together.
      if (this.#queue.length === 1) setImmediate(() => void this.#next());
    });
  }

  async #next(): Promise<void> {
    if (this.#isGathering || this.#inFlight >= this.#maxInFlight || this.#queue.length === 0)
      return;
    const batch = this.#queue.slice(0, this.#maxBatch);
    this.#queue = this.#queue.slice(this.#maxBatch);
    this.#inFlight += 1;
    try {
      const answers = await this.#flush(batch.map(({ item }) => item));
      if (answers.length !== batch.length)
        throw new RangeError(`${answers.length} answers to ${batch.length} items`);
      batch.forEach(({ resolve }, index) => {
        resolve(answers[index] as Answer);
      });
    } catch (error) {
      for (const { reject } of batch) reject(error);
      // Callers that arrived meanwhile have waited for the same server: an attempt of their own would double their
      // deadline.
      if (error instanceof DependencyUnavailable)
        for (const { reject } of this.#queue.splice(0)) reject(error);
    } finally {
      this.#inFlight -= 1;
      if (this.#gathers && batch.length >= minBatchToGather) this.#gather();
      else setImmediate(() => void this.#next());
    }
  }

  #gather(): void {
    this.#isGathering = true;
    setTimeout(() => {
      this.#isGathering = false;
      void this.#next();
    }, this.#gatherMs);
  }
}
