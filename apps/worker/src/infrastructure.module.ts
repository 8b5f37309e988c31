import { railWorkRecords } from '#adapters/records';
import { collectionEventTypes } from '#domain/collections';
import { correctionEventTypes } from '#domain/corrections';
import { EventStore, Pipeline } from '#domain/event-sourcing';
import { EventStoreDb, openEventStoreDb } from '#infra/eventstoredb';
import { Clock, Ids, Timer } from '#domain/kernel';
import { reservationEventTypes, Reservations } from '#domain/ledger';
import { merchantEventTypes } from '#domain/merchants';
import { checkMasterKey, DataKeys } from '#adapters/keys';
import { Database } from '#infra/postgres';
import { mpesa } from '#edges/rail-mpesa';
import { railProviders, RailWorkOptions } from '#edges/rails';
import { openViews } from '#views/view-set';
import { ProjectedCredits } from '#views/balances';
import { RedisStore } from '#infra/redis';
import { Metrics, type ProcessContext } from '#infra/runtime';
import { Keyring } from '#shared/signing';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';

const eventTypes = {
  ...collectionEventTypes,
  ...correctionEventTypes,
  ...reservationEventTypes,
  ...merchantEventTypes,
};

/** The rails, one line each; the API lists the same. */
const rails = [mpesa] as const;

/** Binds the worker's ports to its servers; records and views exist when it is up. */
@Module({})
export class InfrastructureModule {
  static with(context: ProcessContext): DynamicModule {
    const providers = [
      ...ofProcess(context),
      ...servers(context),
      ...railWorkRecords,
      ...ports(context),
      ...railProviders(rails, context),
    ];
    return { module: InfrastructureModule, global: true, providers, exports: providers };
  }
}

function ofProcess({ settings, servers, metrics, clock, timer, ids }: ProcessContext): Provider[] {
  return [
    { provide: Clock, useValue: clock },
    { provide: Timer, useValue: timer },
    { provide: Ids, useValue: ids },
    { provide: Metrics, useValue: metrics },
    { provide: Keyring, useFactory: () => Keyring.from(servers.masterKeys) },
    {
      provide: RailWorkOptions,
      useFactory: () =>
        new RailWorkOptions({
          queryDelaysMs: settings.railQueryDelaysMs,
          pushTimeoutMs: settings.railPushTimeoutMs,
          reviewAfterMs: settings.railReviewAfterMs,
        }),
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
    {
      provide: DataKeys,
      inject: [Database, Keyring],
      useFactory: (database: Database, keyring: Keyring) => {
        const { logger, metrics } = context;
        return DataKeys.open({ database, keyring, logger, metrics, makesCallbackUrls: false });
      },
    },
    {
      provide: RedisStore,
      useFactory: () => RedisStore.open({ url: context.servers.redisUrl, logger: context.logger }),
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
      provide: Reservations,
      inject: [EventStore, Database],
      useFactory: (store: EventStore, database: Database) =>
        new Reservations(store, new ProjectedCredits(database), ids),
    },
  ];
}
