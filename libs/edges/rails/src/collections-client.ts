import { Injectable } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import {
  type Collection,
  type CollectionKey,
  collectionKeyOf,
  ConfirmCollection,
  type Confirmed,
  type ConfirmRefusal,
  FindCollection,
  FlagCollection,
  type Flagging,
  type FlagReason,
  type Listed,
  type ListedPayment,
  type RailReport,
  RecordListedReceipt,
} from '#domain/collections';
import { type CommandMetadata } from '#domain/event-sourcing';
import { type Result } from '#domain/kernel';
import { ReportMetrics } from './report-metrics.js';

/** What the worker has to say to collections and to ask of them. */
@Injectable()
export class CollectionsClient {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    readonly reports: ReportMetrics,
  ) {}

  /** @throws DependencyUnavailable */
  async confirm(
    key: CollectionKey,
    report: RailReport,
    metadata: CommandMetadata,
  ): Promise<Result<Confirmed, ConfirmRefusal>> {
    const result = await this.commands.execute(new ConfirmCollection(key, report, metadata));
    this.reports.confirmed(key.mode, report, result.ok ? result.value.contradicts : undefined);
    return result;
  }

  /** Lists it for review, where the reason still holds. @throws DependencyUnavailable */
  async flag(key: CollectionKey, why: FlagReason, metadata: CommandMetadata): Promise<Flagging> {
    const result = await this.commands.execute(new FlagCollection(key, why, metadata));
    return result.ok ? result.value : 'unchanged';
  }

  /** Whether it was ever listed for review for that, whatever was decided. @throws DependencyUnavailable */
  async wasFlagged(key: CollectionKey, why: FlagReason): Promise<boolean> {
    const { events } = await this.queries.execute(new FindCollection(key));
    return events.some(({ type, data }) => type === 'ReviewFlagged' && data.why === why);
  }

  /** Lists for review the collections of a checkout id that more than one has. @throws DependencyUnavailable */
  async flagShared(streams: readonly string[], metadata: CommandMetadata): Promise<void> {
    for (const key of streams.map(collectionKeyOf))
      if (key) await this.flag(key, 'checkout_of_another', metadata);
  }

  /** Whether the payment of the rail's list is the collection's own money. @throws DependencyUnavailable */
  async recordListed(
    key: CollectionKey,
    payment: ListedPayment,
    metadata: CommandMetadata,
  ): Promise<Listed> {
    const result = await this.commands.execute(new RecordListedReceipt(key, payment, metadata));
    return result.ok ? result.value : 'other';
  }

  /** Whether money was posted for the collection or stands in suspense. @throws DependencyUnavailable */
  async hasMoney(stream: string): Promise<boolean> {
    const key = collectionKeyOf(stream);
    if (!key) return false;
    const { events } = await this.queries.execute(new FindCollection(key));
    return events.some(({ type }) => type === 'WalletPosted' || type === 'SuspensePosted');
  }

  /** As the leader's log has it. @throws DependencyUnavailable */
  async stateOf(key: CollectionKey): Promise<Collection> {
    return (await this.queries.execute(new FindCollection(key))).state;
  }
}
