import { DependencyUnavailable } from '#domain/kernel';

export interface MicroBatcherOptions<Item, Answer> {
  /**
   * Handles all items at once; answers in the items' order. Where it throws, every item of it fails; where it throws
   * DependencyUnavailable, those that wait behind it fail with it.
   */
  readonly flush: (items: readonly Item[]) => Promise<readonly Answer[]>;
  /** Items of one flush at most. */
  readonly maxBatch?: number;
  /** Items waiting at most; over it a caller is refused at once. */
  readonly maxQueue?: number;
  /** Flushes in flight at most. */
  readonly maxInFlight?: number;
  /**
   * After a batch of at least `minBatchToGather` items, the next flush waits a few milliseconds to collect more: each
   * statement and each commit has its own cost.
   */
  readonly gathers?: true;
  /** So many milliseconds; what nobody waits for may be gathered for longer. */
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
 * Group commit: what arrives while a flush is in flight goes with the next one. A lone caller waits for
 * nobody; under load a statement carries many rows.
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

  /** @throws DependencyUnavailable where too many wait; whatever the flush throws */
  add(item: Item): Promise<Answer> {
    if (this.#queue.length >= this.#maxQueue)
      return Promise.reject(new DependencyUnavailable('postgres', 'too many rows wait'));
    return new Promise((resolve, reject) => {
      this.#queue.push({ item, resolve, reject });
      // Not at once: callers of the same turn of the event loop go together.
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
      // Who came meanwhile has waited for the same server: a try of its own would double the caller's deadline.
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
