import { ReceiptClaims, ReceiptUse, ReviewProposals, UsedReceipts } from '#domain/collections';
import { EventStore } from '#domain/event-sourcing';
import { Clock, Timer } from '#domain/kernel';
import { Reservations } from '#domain/ledger';
import { MerchantDirectory } from '#domain/merchants';
import { PayoutAllowances, PayoutPhones } from '#domain/payouts';
import {
  RecordedPayoutAllowances,
  RecordedPayoutPhones,
  RecordedReceiptClaims,
  RecordedReviewProposals,
} from '#adapters/records';
import { Database } from '#infra/postgres';
import { CachedMerchantDirectory } from '#views/merchants';
import { ProjectedCredits } from '#views/balances';
import { ReceiptsInViews } from '#views/reviews';
import { Keyring } from '#shared/signing';
import { type Settings, SystemClock, SystemTimer, UuidIds } from '#infra/runtime';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { RailSchedule } from './case/rail-schedule.js';

/** No number is taken in here: operators decide on payouts that others asked for. */
const noTraces = {
  tracesOf: (): never => {
    throw new TypeError('the command line asks for no payouts');
  },
};

/** What looking into a collection or payout, deciding on it and correcting the ledger need, over the infrastructure's servers. */
@Module({})
export class ReviewPortsModule {
  static with(settings: Settings): DynamicModule {
    const { clockOffsetMs, railQueryDelaysMs, railReviewAfterMs, payoutFloatWaitMs } = settings;
    const providers: Provider[] = [
      { provide: Clock, useFactory: () => new SystemClock(clockOffsetMs) },
      { provide: Timer, useClass: SystemTimer },
      {
        provide: RailSchedule,
        useFactory: () => new RailSchedule(railQueryDelaysMs, railReviewAfterMs, payoutFloatWaitMs),
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
        provide: PayoutPhones,
        inject: [Database, Keyring],
        useFactory: (database: Database, keyring: Keyring) =>
          new RecordedPayoutPhones(database, keyring, noTraces),
      },
      {
        provide: PayoutAllowances,
        inject: [Database],
        useFactory: (database: Database) => new RecordedPayoutAllowances(database),
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
