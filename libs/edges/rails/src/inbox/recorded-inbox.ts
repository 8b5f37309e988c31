import { Injectable } from '@nestjs/common';
import {
  CallbackInbox,
  type DueInboxEntry,
  type InboxEntry,
  leaseDueInboxEntries,
  markInboxApplied,
  giveBackInboxEntry,
  rescheduleInboxEntry,
} from '#adapters/records';
import { Database } from '#infra/postgres';
import { Inbox } from './inbox.js';

/** The inbox as the records hold it; what is added at the same time goes in one statement. */
@Injectable()
export class RecordedInbox extends Inbox {
  private readonly added: CallbackInbox;

  constructor(private readonly database: Database) {
    super();
    this.added = new CallbackInbox(database);
  }

  override add(entry: InboxEntry): Promise<void> {
    return this.added.add(entry);
  }

  override leaseDue(options: { leaseMs: number; max: number }): Promise<readonly DueInboxEntry[]> {
    return leaseDueInboxEntries(this.database, options);
  }

  override conclude(id: string, outcome: string): Promise<void> {
    return markInboxApplied(this.database, id, outcome);
  }

  override reschedule(entry: { id: string; delayMs: number; outcome: string }): Promise<void> {
    return rescheduleInboxEntry(this.database, entry);
  }

  override giveBack(id: string, outcome: string): Promise<void> {
    return giveBackInboxEntry(this.database, id, outcome);
  }
}
