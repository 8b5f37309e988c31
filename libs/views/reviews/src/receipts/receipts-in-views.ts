import { DependencyUnavailable, type Mode, type Timer } from '#domain/kernel';
import { UsedReceipts } from '#domain/collections';
import { type EventStore } from '#domain/event-sourcing';
import { type Queryable } from '#infra/postgres';
import { findStreamsByReceipt } from '#views/transactions';
import { projectedPrefixes, readCheckpoint } from '#views/view-set';

/** The projector is milliseconds behind; a person waits for longer than that. */
const maxPolls = 100;
const pollMs = 50;

/**
 * Receipts as the view of transactions has them. It is asked only once it has reached the end that the log had at the
 * question: a receipt that another collection was just given must not be missed.
 */
export class ReceiptsInViews extends UsedReceipts {
  constructor(
    private readonly store: EventStore,
    private readonly database: Queryable,
    private readonly timer: Timer,
  ) {
    super();
  }

  override async streamsWith(mode: Mode, receipt: string): Promise<readonly string[]> {
    const head = await this.store.head(projectedPrefixes);
    for (let poll = 1; (await readCheckpoint(this.database)).position < head; poll += 1) {
      if (poll === maxPolls)
        throw new DependencyUnavailable('read model', 'it is behind the log: is the projector up?');
      await this.timer.sleep(pollMs);
    }
    return findStreamsByReceipt(this.database, mode, receipt);
  }
}
