import { Injectable } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { type RailReport } from '#domain/rails';
import {
  type Collection,
  type CollectionKey,
  collectionKeyOf,
  type CollectionView,
  ConfirmCollection,
  type Confirmed,
  type ConfirmRefusal,
  FindCollection,
  FlagCollection,
  type Flagging,
  type FlagReason,
  type Listed,
  type ListedPayment,
  moneyIn,
  ReceiveExpected,
  ReceivePayment,
  RecordListedReceipt,
} from '#domain/collections';
import { type CommandMetadata } from '#domain/event-sourcing';
import { type Result } from '#domain/kernel';
import { tracing } from '#infra/runtime';
import { type ClaimantMoney } from './inbox/rail-reference-claims.js';
import { ReportMetrics } from './report-metrics.js';
import { traceReport } from './trace-report.js';

/** Sends the worker's commands and queries to collections. */
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
    const since = tracing && performance.now();
    const result = await this.commands.execute(new ConfirmCollection(key, report, metadata));
    if (since !== undefined && result.ok)
      traceReport({ by: report.by, mode: key.mode, since }, result.value);
    this.reports.confirmed(key.mode, report, result.ok ? result.value.contradicts : undefined);
    return result;
  }

  /** Lists the collection for review if the reason still applies. @throws DependencyUnavailable */
  async flag(key: CollectionKey, why: FlagReason, metadata: CommandMetadata): Promise<Flagging> {
    const result = await this.commands.execute(new FlagCollection(key, why, metadata));
    return result.ok ? result.value : 'unchanged';
  }

  /**
   * True if the collection was ever listed for review for that reason, whatever was decided.
   * @throws DependencyUnavailable
   */
  async wasFlagged(key: CollectionKey, why: FlagReason): Promise<boolean> {
    const { events } = await this.queries.execute(new FindCollection(key));
    return events.some(({ type, data }) => type === 'ReviewFlagged' && data.why === why);
  }

  /** Lists the collections that share one checkout id for review. @throws DependencyUnavailable */
  async flagShared(streams: readonly string[], metadata: CommandMetadata): Promise<void> {
    for (const key of streams.map(collectionKeyOf))
      if (key) await this.flag(key, 'checkout_of_another', metadata);
  }

  /**
   * Records a payment from the rail's list, and returns whether it is the collection's own money.
   * @throws DependencyUnavailable
   */
  async recordListed(
    key: CollectionKey,
    payment: ListedPayment,
    metadata: CommandMetadata,
  ): Promise<Listed> {
    const result = await this.commands.execute(new RecordListedReceipt(key, payment, metadata));
    return result.ok ? result.value : 'other';
  }

  /** Records a payment without a push. @throws EventStoreUnavailable */
  receive(...of: ConstructorParameters<typeof ReceivePayment>): Promise<CollectionView> {
    return this.commands.execute(new ReceivePayment(...of));
  }

  /** Records a payment for an expected one; false if none is expected under the key any more. @throws DependencyUnavailable */
  async receiveExpected(...of: ConstructorParameters<typeof ReceiveExpected>): Promise<boolean> {
    return (await this.commands.execute(new ReceiveExpected(...of))).ok;
  }

  /** True if money was posted for the collection or is in suspense. @throws DependencyUnavailable */
  async hasMoney(stream: string): Promise<boolean> {
    const key = collectionKeyOf(stream);
    if (!key) return false;
    const { events } = await this.queries.execute(new FindCollection(key));
    return events.some(({ type }) => type === 'WalletPosted' || type === 'SuspensePosted');
  }

  /** Compares the collection's money with the receipt, according to the leader's log. @throws DependencyUnavailable */
  async moneyOf(stream: string, receipt: string): Promise<ClaimantMoney> {
    const key = collectionKeyOf(stream);
    return key ? moneyIn(await this.stateOf(key), receipt) : 'none';
  }

  /** Returns the state according to the leader's log. @throws DependencyUnavailable */
  async stateOf(key: CollectionKey): Promise<Collection> {
    return (await this.queries.execute(new FindCollection(key))).state;
  }
}
