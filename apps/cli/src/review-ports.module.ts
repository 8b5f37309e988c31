import { EventStore } from '#domain/event-sourcing';
import { Clock, constructed, Ids, Timer } from '#domain/kernel';
import { PostedCredits, Reservations } from '#domain/ledger';
import { MerchantDirectory } from '#domain/merchants';
import {
  PayoutAllowances,
  PayoutBatchItems,
  PayoutOrders,
  PayoutPhones,
  PayoutTermsDirectory,
} from '#domain/payouts';
import { deskRecords } from '#adapters/wiring';
import {
  RecordedPayoutAllowances,
  RecordedPayoutBatchItems,
  RecordedPayoutPhones,
  SealedPhoneVault,
} from '#records/payouts';
import { Database } from '#infra/postgres';
import { RailSchedule } from '#desk/operators';
import { CachedMerchantDirectory } from '#views/merchants';
import { ProjectedCredits } from '#views/balances';
import { ProjectedPayoutTerms, RecordedPayoutOrders } from '#views/payouts';
import { Keyring } from '#shared/signing';
import { type Settings, SystemClock, SystemTimer } from '#infra/runtime';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';

/** A vault that only the few commands that may need it open, so that the others work if its key cannot be read. */
export class OperatorsVault {
  private opened: SealedPhoneVault | undefined;

  constructor(
    private readonly database: Database,
    private readonly keyring: Keyring,
  ) {}

  async open(): Promise<SealedPhoneVault> {
    this.opened ??= await SealedPhoneVault.open(this.database, this.keyring);
    return this.opened;
  }

  /** @throws TypeError before it is opened */
  tracesOf(phone: string): ReturnType<SealedPhoneVault['tracesOf']> {
    if (!this.opened) throw new TypeError('this command was to take in no number');
    return this.opened.tracesOf(phone);
  }
}

/**
 * Dependencies of commands that show or decide a collection or payout, or correct the ledger, over the infrastructure's
 * servers.
 */
@Module({})
export class ReviewPortsModule {
  static with(settings: Settings): DynamicModule {
    const {
      clockOffsetMs,
      railQueryDelaysMs,
      railReviewAfterMs,
      payoutFloatWaitMs,
      payoutMaxAgeMs,
    } = settings;
    const providers: Provider[] = [
      { provide: Clock, useFactory: () => new SystemClock(clockOffsetMs) },
      { provide: Timer, useClass: SystemTimer },
      {
        provide: RailSchedule,
        useFactory: () =>
          new RailSchedule(railQueryDelaysMs, railReviewAfterMs, payoutFloatWaitMs, payoutMaxAgeMs),
      },
      ...deskRecords,
      constructed(PostedCredits, ProjectedCredits, [Database]),
      constructed(Reservations, Reservations, [EventStore, PostedCredits, Ids]),
      constructed(OperatorsVault, OperatorsVault, [Database, Keyring]),
      constructed(PayoutPhones, RecordedPayoutPhones, [Database, Keyring, OperatorsVault]),
      constructed(PayoutBatchItems, RecordedPayoutBatchItems, [Database, Keyring]),
      constructed(PayoutTermsDirectory, ProjectedPayoutTerms, [Database]),
      constructed(PayoutAllowances, RecordedPayoutAllowances, [Database]),
      constructed(PayoutOrders, RecordedPayoutOrders, [Database]),
      constructed(MerchantDirectory, CachedMerchantDirectory, [Database]),
    ];
    return { module: ReviewPortsModule, global: true, providers, exports: providers };
  }
}
