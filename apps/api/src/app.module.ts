import { proofsOf } from '#adapters/audit';
import {
  railRecords,
  RecordedLinkSecrets,
  RecordedPayoutAllowances,
  RecordedPayoutBatchItems,
  RecordedPayoutPhones,
  SealedPhoneVault,
  v3Records,
} from '#adapters/records';
import { v4Records } from '#adapters/v4-records';
import { serviceProviders } from '#adapters/wiring';
import { auditEventTypes, PostingProofs } from '#domain/audit';
import {
  collectionEventTypes,
  CollectionInitiationModule,
  CollectionsModule,
  PhoneVault,
} from '#domain/collections';
import { EventStore } from '#domain/event-sourcing';
import { reservationEventTypes, Reservations } from '#domain/ledger';
import { MerchantDirectory, merchantEventTypes } from '#domain/merchants';
import {
  PaidNumbers,
  PayoutAllowances,
  PayoutBatchItems,
  payoutBatchEventTypes,
  payoutEventTypes,
  PayoutPhones,
  PayoutReportsModule,
  PayoutRequestsModule,
  PayoutTermsDirectory,
} from '#domain/payouts';
import { ApiDocsModule, ApiDocsOptions } from '#edges/api-docs';
import { ApiV4Module, ApiV4Options } from '#edges/api-v4';
import { CheckoutModule, CheckoutOptions } from '#edges/checkout';
import { V3GateOptions } from '#edges/v3-gate';
import { Database, ReadDatabase } from '#infra/postgres';
import { observeMemory, RedisStore } from '#infra/redis';
import { type ProcessContext } from '#infra/runtime';
import { Keyring } from '#shared/signing';
import { CachedMerchantDirectory, CachedMerchants } from '#views/merchants';
import { ProjectedCredits } from '#views/balances';
import { ProjectedPaidNumbers, ProjectedPayoutTerms } from '#views/payouts';
import { openReadViews } from '#views/view-set';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { ApiV3Module } from '#edges/api-v3';
import { RailCallbacksModule } from '#edges/rails';

const eventTypes = {
  ...collectionEventTypes,
  ...merchantEventTypes,
  ...payoutEventTypes,
  ...payoutBatchEventTypes,
  ...reservationEventTypes,
  ...auditEventTypes,
};

/** Binds the API's ports to its servers; everything that it reads exists when it is up. */
@Module({})
class InfrastructureModule {
  static with(context: ProcessContext): DynamicModule {
    const providers = [
      ...serviceProviders(context, { eventTypes, makesCallbackUrls: true }),
      ...options(context),
      ...ports(context),
      ...payoutPorts(context),
      proofs(context),
      ...v4Records,
      ...v3Records,
      ...railRecords,
    ];
    return { module: InfrastructureModule, global: true, providers, exports: providers };
  }
}

function options({ settings, logger }: ProcessContext): Provider[] {
  return [
    { provide: CheckoutOptions, useFactory: () => new CheckoutOptions(settings.baseUrl) },
    { provide: ApiDocsOptions, useFactory: () => new ApiDocsOptions(settings.baseUrl) },
    {
      provide: V3GateOptions,
      useFactory: () =>
        new V3GateOptions(
          settings.v4GaDate,
          settings.baseUrl,
          settings.rateLimitV3Restricted,
          logger,
        ),
    },
    {
      provide: ApiV4Options,
      useFactory: () =>
        new ApiV4Options(
          settings.rateLimitV4,
          settings.readModelMaxAgeMs,
          settings.credentialMemoryCap,
        ),
    },
  ];
}

function ports(context: ProcessContext): Provider[] {
  return [
    { provide: ReadDatabase, useFactory: () => openReadViews(context) },
    {
      provide: RedisStore,
      useFactory: async () => {
        const { servers, logger, metrics } = context;
        const store = await RedisStore.open({ url: servers.redisUrl, logger });
        observeMemory(metrics, store);
        return store;
      },
    },
    {
      provide: PhoneVault,
      inject: [Database, Keyring],
      useFactory: (database: Database, keyring: Keyring) =>
        SealedPhoneVault.open(database, keyring),
    },
    {
      provide: MerchantDirectory,
      inject: [Database],
      useFactory: (database: Database) => new CachedMerchantDirectory(database),
    },
    {
      provide: CachedMerchants,
      inject: [Database, Keyring],
      useFactory: (database: Database, keyring: Keyring) =>
        CachedMerchants.open(database, new RecordedLinkSecrets(database, keyring)),
    },
  ];
}

function proofs({ settings, clock }: ProcessContext): Provider {
  return {
    provide: PostingProofs,
    inject: [EventStore, Database],
    useFactory: (store: EventStore, database: Database) =>
      proofsOf({ store, database, clock, timezone: settings.platformTimezone }),
  };
}

function payoutPorts({ ids }: ProcessContext): Provider[] {
  return [
    {
      provide: PayoutPhones,
      inject: [Database, Keyring, PhoneVault],
      useFactory: (database: Database, keyring: Keyring, vault: PhoneVault) =>
        new RecordedPayoutPhones(database, keyring, vault),
    },
    {
      provide: PayoutBatchItems,
      inject: [Database, Keyring],
      useFactory: (database: Database, keyring: Keyring) =>
        new RecordedPayoutBatchItems(database, keyring),
    },
    {
      provide: Reservations,
      inject: [EventStore, Database],
      useFactory: (store: EventStore, database: Database) =>
        new Reservations(store, new ProjectedCredits(database), ids),
    },
    {
      provide: PayoutAllowances,
      inject: [Database],
      useFactory: (database: Database) => new RecordedPayoutAllowances(database),
    },
    {
      provide: PayoutTermsDirectory,
      inject: [Database],
      useFactory: (database: Database) => new ProjectedPayoutTerms(database),
    },
    {
      provide: PaidNumbers,
      inject: [Database],
      useFactory: (database: Database) => new ProjectedPaidNumbers(database),
    },
  ];
}

@Module({})
export class AppModule {
  static with(context: ProcessContext): DynamicModule {
    return {
      module: AppModule,
      imports: [
        InfrastructureModule.with(context),
        CollectionsModule,
        CollectionInitiationModule,
        PayoutRequestsModule,
        PayoutReportsModule,
        ApiV4Module,
        ApiV3Module.with(context.settings),
        CheckoutModule,
        ApiDocsModule,
        RailCallbacksModule,
      ],
    };
  }
}
