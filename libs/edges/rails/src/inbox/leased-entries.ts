import { Injectable, Logger } from '@nestjs/common';
import { type DueInboxEntry, Inbox } from './inbox.js';
import { Metrics } from '#infra/runtime';

/**
 * A try waits for the event store, the rail's answer and the read model, mostly for some milliseconds. One that takes
 * longer than its lease may be made by another worker, too, which history takes as a repetition; but what a
 * worker held that died must go on within ten seconds of its death, since customers watch their phones.
 */
const leaseMs = 8000;

/** The callbacks that this worker has leased, counted by outcome. */
@Injectable()
export class LeasedEntries {
  private readonly log = new Logger('callback inbox');
  private readonly concluded;

  constructor(
    private readonly inbox: Inbox,
    metrics: Metrics,
  ) {
    this.concluded = metrics.counter({
      name: 'callback_inbox_concluded_total',
      help: 'Callbacks that were taken out of the inbox, by outcome',
      labels: ['outcome'],
    });
  }

  lease(max: number): Promise<readonly DueInboxEntry[]> {
    return this.inbox.leaseDue({ leaseMs, max });
  }

  async conclude(id: string, outcome: string): Promise<void> {
    await this.inbox.conclude(id, outcome);
    const [kind = outcome, why] = outcome.split(': ');
    this.concluded.inc({ outcome: kind });
    if (kind === 'left_for_review')
      this.log.warn({ msg: 'a callback is left for review', id, why });
  }

  reschedule(entry: Parameters<Inbox['reschedule']>[0]): Promise<void> {
    return this.inbox.reschedule(entry);
  }

  giveBack(id: string, why: string): Promise<void> {
    return this.inbox.giveBack(id, why);
  }
}
