import { ReceiptClaims, ReceiptUse, ReviewProposals, UsedReceipts } from '#domain/collections';
import { EventStore } from '#domain/event-sourcing';
import { Clock, Timer } from '#domain/kernel';
import { Reservations } from '#domain/ledger';
import { MerchantDirectory } from '#domain/merchants';
import { RecordedReceiptClaims, RecordedReviewProposals } from '#adapters/records';
import { Database } from '#infra/postgres';
import { CachedMerchantDirectory } from '#views/merchants';
import { ProjectedCredits } from '#views/balances';
import { ReceiptsInViews } from '#views/reviews';
import { type Settings, SystemClock, SystemTimer, UuidIds } from '#infra/runtime';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { RailSchedule } from './case/next-actions.js';

/** What looking into a collection, deciding on it and correcting the ledger need, over the infrastructure's servers. */
@Module({})
export class ReviewPortsModule {
  static with(settings: Settings): DynamicModule {
    const { clockOffsetMs, railQueryDelaysMs, railReviewAfterMs } = settings;
    const providers: Provider[] = [
      { provide: Clock, useFactory: () => new SystemClock(clockOffsetMs) },
      { provide: Timer, useClass: SystemTimer },
      {
        provide: RailSchedule,
        useFactory: () => new RailSchedule(railQueryDelaysMs, railReviewAfterMs),
      },
      {
        provide: ReviewProposals,
        inject: [Database],
        useFactory: (database: Database) => new RecordedReviewProposals(database),
      },
      {
        provide: UsedReceipts,
        inject: [EventStore, Database, Timer],
        useFactory: (store: EventStore, database: Database, timer: Timer) =>
          new ReceiptsInViews(store, database, timer),
      },
      {
        provide: ReceiptClaims,
        inject: [Database],
        useFactory: (database: Database) => new RecordedReceiptClaims(database),
      },
      {
        provide: ReceiptUse,
        inject: [EventStore, ReceiptClaims, UsedReceipts],
        useFactory: (store: EventStore, claims: ReceiptClaims, receipts: UsedReceipts) =>
          new ReceiptUse(store, claims, receipts),
      },
      {
        provide: Reservations,
        inject: [EventStore, Database],
        useFactory: (store: EventStore, database: Database) =>
          new Reservations(store, new ProjectedCredits(database), new UuidIds()),
      },
      {
        provide: MerchantDirectory,
        inject: [Database],
        useFactory: (database: Database) => new CachedMerchantDirectory(database),
      },
    ];
    return { module: ReviewPortsModule, global: true, providers, exports: providers };
  }
}
