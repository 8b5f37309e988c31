import { Injectable, Logger } from '@nestjs/common';
import { type CollectionKey, type RailReport } from '#domain/collections';
import { type CommandMetadata } from '#domain/event-sourcing';
import { DependencyUnavailable, type Result, Timer, within } from '#domain/kernel';
import { CollectionsClient } from '../collections-client.js';
import { type PayoutKey, type PayoutReport } from '#domain/payouts';
import { PayoutsClient } from '../payouts/payouts-client.js';

/** The store answers within milliseconds; where it does not, the inbox takes over while the rail still listens. */
const deadlineMs = 2000;
/**
 * Those included that nobody listens to any more: while the event store hangs, each holds memory until its own
 * deadline. Over it callbacks go into the inbox at once.
 */
const maxUnderWay = 64;

/** Callbacks that are appended while the rail waits for its answer: few at a time, and not for long. */
@Injectable()
export class DirectConfirmations {
  private readonly log = new Logger('rail callbacks');
  private underWay = 0;

  constructor(
    private readonly collections: CollectionsClient,
    private readonly payouts: PayoutsClient,
    private readonly timer: Timer,
  ) {}

  /** @returns whether it is certain that the report is applied; if not, it may still be */
  async isApplied(
    key: CollectionKey,
    report: RailReport,
    metadata: CommandMetadata,
  ): Promise<boolean> {
    return this.isDone(() => this.collections.confirm(key, report, metadata));
  }

  /** The same of a payout. */
  async isPayoutApplied(
    key: PayoutKey,
    report: PayoutReport,
    metadata: CommandMetadata,
    channel: string,
  ): Promise<boolean> {
    return this.isDone(() => this.payouts.confirm(key, report, metadata, channel));
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
