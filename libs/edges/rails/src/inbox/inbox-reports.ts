import { Injectable } from '@nestjs/common';
import { PayoutInbox } from '../payouts/payout-inbox.js';
import { type DueInboxEntry } from './inbox.js';
import { type Try } from './opened-callback.js';
import { OpenedCallbacks } from './opened-callbacks.js';
import { UnverifiedCallbacks } from './unverified-callbacks.js';

/** What became of one entry, and whether the event store was asked for it. */
interface Tried {
  readonly result: Try;
  readonly reachedStore: boolean;
}

/** Brings what waits in the inbox to its collection or its payout. */
@Injectable()
export class InboxReports {
  constructor(
    private readonly callbacks: OpenedCallbacks,
    private readonly unverified: UnverifiedCallbacks,
    private readonly payouts: PayoutInbox,
  ) {}

  /** @throws DependencyUnavailable, UnopenableCiphertext */
  async bring(entry: DueInboxEntry, ageMs: number): Promise<Tried> {
    if (entry.purpose !== undefined)
      return { result: await this.payouts.bring(entry), reachedStore: true };
    const opened = await this.callbacks.open(entry, ageMs);
    if (opened) return { result: await this.unverified.bring(opened), reachedStore: true };
    const outcome = 'left_for_review: no_callback';
    return { result: { kind: 'done', outcome }, reachedStore: false };
  }
}
