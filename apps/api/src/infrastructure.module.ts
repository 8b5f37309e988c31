import { ApiDocsOptions } from '#edges/api-docs';
import { ApiV4Options } from '#edges/api-v4';
import { CheckoutOptions } from '#edges/checkout';
import { collectionEventTypes, PhoneVault } from '#domain/collections';
import { EventStore, Pipeline } from '#domain/event-sourcing';
import { EventStoreDb, openEventStoreDb } from '#infra/eventstoredb';
import { Clock, Ids, Timer } from '#domain/kernel';
import { MerchantDirectory, merchantEventTypes } from '#domain/merchants';
import { checkMasterKey, DataKeys } from '#adapters/keys';
import {
  railRecords,
  RecordedLinkSecrets,
  SealedPhoneVault,
  v3Records,
  v4Records,
} from '#adapters/records';
import { Database, ReadDatabase } from '#infra/postgres';
import { mpesa } from '#edges/rail-mpesa';
import { railProviders } from '#edges/rails';
import { CachedMerchantDirectory, CachedMerchants } from '#views/merchants';
import { openReadViews, openViews } from '#views/view-set';
import { observeMemory, RedisStore } from '#infra/redis';
import { Metrics, type ProcessContext } from '#infra/runtime';
import { Keyring } from '#shared/signing';
import { V3GateOptions } from '#edges/v3-gate';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';

const eventTypes = { ...collectionEventTypes, ...merchantEventTypes };

/** The rails, one line each; the worker lists the same. */
const rails = [mpesa] as const;

/** Binds the API's ports to its servers; everything that it reads exists when it is up. */
@Module({})
export class InfrastructureModule {
  static with(context: ProcessContext): DynamicModule {
    const records = [...v4Records, ...v3Records, ...railRecords];
    const providers = [
      ...ofProcess(context),
      ...servers(context),
      ...records,
      ...ports(context),
      ...railProviders(rails, context),
    ];
    return { module: InfrastructureModule, global: true, providers, exports: providers };
  }
}

function ofProcess(context: ProcessContext): Provider[] {
  const { settings, servers, metrics, clock, timer, ids, logger } = context;
  return [
    { provide: Clock, useValue: clock },
    { provide: Timer, useValue: timer },
    { provide: Ids, useValue: ids },
    { provide: Metrics, useValue: metrics },
    { provide: Keyring, useFactory: () => Keyring.from(servers.masterKeys) },
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

function servers(context: ProcessContext): Provider[] {
  return [
    {
      provide: Database,
      inject: [Keyring],
      useFactory: async (keyring: Keyring) => {
        const database = await openViews(context);
        await checkMasterKey(database, keyring);
        return database;
      },
    },
    { provide: ReadDatabase, useFactory: () => openReadViews(context) },
    {
      provide: DataKeys,
      inject: [Database, Keyring],
      useFactory: (database: Database, keyring: Keyring) => {
        const { logger, metrics } = context;
        return DataKeys.open({ database, keyring, logger, metrics, makesCallbackUrls: true });
      },
    },
    {
      provide: RedisStore,
      useFactory: async () => {
        const { servers: of, logger, metrics } = context;
        const store = await RedisStore.open({ url: of.redisUrl, logger });
        observeMemory(metrics, store);
        return store;
      },
    },
    { provide: EventStoreDb, useFactory: () => openEventStoreDb(context, eventTypes) },
    { provide: EventStore, useExisting: EventStoreDb },
  ];
}

function ports({ ids }: ProcessContext): Provider[] {
  return [
    {
      provide: Pipeline,
      inject: [EventStore],
      useFactory: (store: EventStore) => new Pipeline(store, ids),
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
