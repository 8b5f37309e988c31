import { DependencyUnavailable, type Mode, type Timer } from '#domain/kernel';
import { UsedReceipts } from '#domain/reviews';
import { type EventStore } from '#domain/event-sourcing';
import { type Queryable } from '#infra/postgres';
import { findStreamsByReceipt } from '#views/transactions';
import { projectedPrefixes, readCheckpoint } from '#views/view-set';

/** The projector is milliseconds behind; a person waits for longer than that. */
const maxPolls = 100;
const pollMs = 50;

/**
 * Receipts in the view of transactions. It answers only after the view has reached the log's end at the time of the
 * question, so that it never misses a receipt that another collection just got.
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
