import { Injectable, Logger } from '@nestjs/common';
import { type RailReport } from '#domain/rails';
import { type CollectionKey } from '#domain/collections';
import { type CommandMetadata } from '#domain/event-sourcing';
import { DependencyUnavailable, type Mode, type Result, Timer, within } from '#domain/kernel';
import { CollectionsClient } from '../collections-client.js';
import { type PayoutKey, type PayoutReport } from '#domain/payouts';
import { PayoutsClient } from '../payouts/payouts-client.js';

/**
 * The store usually answers within milliseconds. If it does not, the callback goes to the inbox while the rail still
 * waits.
 */
const deadlineMs = 2000;
/**
 * Includes appends for which no caller waits any more: while the event store hangs, each uses memory until its own
 * deadline. Above this limit, callbacks go to the inbox at once.
 */
const maxUnderWay = 64;

/** Appends callbacks while the rail waits for its answer: a few at a time, and for a short time only. */
@Injectable()
export class DirectConfirmations {
  private readonly log = new Logger('rail callbacks');
  private underWay = 0;

  constructor(
    private readonly collections: CollectionsClient,
    private readonly payouts: PayoutsClient,
    private readonly timer: Timer,
  ) {}

  /** @returns true if it is certain that the report is applied; if false, it may still be applied */
  async isApplied(
    key: CollectionKey,
    report: RailReport,
    metadata: CommandMetadata,
  ): Promise<boolean> {
    return this.isDone(() => this.collections.confirm(key, report, metadata));
  }

  /** The same for a payout. */
  async isPayoutApplied(
    key: PayoutKey,
    report: PayoutReport,
    metadata: CommandMetadata,
    channel: string,
  ): Promise<boolean> {
    return this.isDone(() => this.payouts.confirm(key, report, metadata, channel));
  }

  /** @param since when the callback arrived, by `performance.now()` */
  posted(mode: Mode, since: number): void {
    this.collections.reports.posted(mode, 'direct', (performance.now() - since) / 1000);
  }

  private async isDone(confirm: () => Promise<Result<unknown, unknown>>): Promise<boolean> {
    if (this.underWay >= maxUnderWay) return false;
    this.underWay += 1;
    const confirmed = confirm().finally(() => {
      this.underWay -= 1;
    });
    try {
      return (await within(this.timer, confirmed, deadlineMs))?.ok ?? false;
    } catch (error) {
      if (!(error instanceof DependencyUnavailable))
        this.log.error({ msg: 'a callback could not be applied at once', err: error });
      return false;
    }
  }
}
