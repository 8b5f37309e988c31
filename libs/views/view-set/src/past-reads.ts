import { EventStore } from '#domain/event-sourcing';
import { DependencyUnavailable } from '#domain/kernel';
import { ReadDatabase } from '#infra/postgres';
import { DeadlineExceeded, withDeadline } from '#infra/runtime';

/** Answers as of a position are auditors' work: only this many run at once, and only this many more wait. */
const maxAtOnce = 2;
const maxWaiting = 16;
/** Running and waiting: a merchant whose program asks without end leaves most places to the others. */
const maxOfMerchant = 6;
const deadlineMs = 8000;

/** Sources of a read as of a position. */
interface Past {
  readonly database: ReadDatabase;
  readonly store: EventStore;
}

/**
 * Reads as of a position cost streams and ranges of entries. They have a few places of their own, so that current lists
 * and balances keep theirs, however many past reads are requested (docs/adr/0037).
 */
export class PastReads {
  #atWork = 0;
  readonly #waiting: (() => void)[] = [];
  readonly #ofMerchants = new Map<string, number>();

  constructor(
    private readonly database: ReadDatabase,
    private readonly store: EventStore,
  ) {}

  /**
   * @param merchantId the merchant whose past is read
   * @throws DependencyUnavailable if too many ask, or if the answer takes too long
   */
  async run<T>(merchantId: string, read: (past: Past) => Promise<T>): Promise<T> {
    const own = this.#ofMerchants.get(merchantId) ?? 0;
    if (own >= maxOfMerchant || this.#waiting.length >= maxWaiting)
      throw new DependencyUnavailable('read model', 'too many reads of past positions');
    this.#ofMerchants.set(merchantId, own + 1);
    const endsAtMs = performance.now() + deadlineMs;
    // A read that timed out keeps its place until it ends.
    const reading = this.#inPlace(read, endsAtMs).finally(() => {
      this.#leave(merchantId);
    });
    try {
      return await withDeadline(reading, deadlineMs, 'the read of a past position took too long');
    } catch (error) {
      if (!(error instanceof DeadlineExceeded)) throw error;
      throw new DependencyUnavailable('read model', error.message, { cause: error });
    }
  }

  #leave(merchantId: string): void {
    const left = (this.#ofMerchants.get(merchantId) ?? 0) - 1;
    if (left > 0) this.#ofMerchants.set(merchantId, left);
    else this.#ofMerchants.delete(merchantId);
  }

  async #inPlace<T>(read: (past: Past) => Promise<T>, endsAtMs: number): Promise<T> {
    // A read that ends passes its slot to the next in the queue, so none overtakes those that wait.
    if (this.#atWork >= maxAtOnce)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    else this.#atWork += 1;
    try {
      if (performance.now() > endsAtMs)
        throw new DeadlineExceeded('the caller no longer waits for it');
      return await read({ database: this.database, store: this.store });
    } finally {
      const next = this.#waiting.shift();
      if (next) next();
      else this.#atWork -= 1;
    }
  }
}
