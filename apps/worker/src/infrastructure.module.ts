import { collectionEventTypes, PhoneVault, Rail } from '#collections';
import { EventStore, Pipeline } from '#event-sourcing';
import { EventStoreDb } from '#eventstoredb';
import { Clock, Ids } from '#kernel';
import { merchantEventTypes } from '#merchants';
import { checkMasterKey, Database, migrateRecords, SealedPhoneVault } from '#postgres';
import { DarajaRail, RailWorkOptions } from '#rail-mpesa';
import { createViews, viewSchema } from '#read-models';
import { RailTokenCache, RedisStore } from '#redis';
import { type ProcessContext } from '#runtime';
import { Keyring } from '#signing';
import { type DynamicModule, Module, type Provider } from '@nestjs/common';

/** Binds the worker's ports to its servers; records and views exist when it is up. */
@Module({})
export class InfrastructureModule {
  static with(context: ProcessContext): DynamicModule {
    const providers = [...ofProcess(context), ...servers(context), ...ports(context)];
    return { module: InfrastructureModule, global: true, providers, exports: providers };
  }
}

function ofProcess({ settings, servers, clock, ids }: ProcessContext): Provider[] {
  return [
    { provide: Clock, useValue: clock },
    { provide: Ids, useValue: ids },
    { provide: Keyring, useFactory: () => Keyring.from(servers.masterKeys) },
    {
      provide: RailWorkOptions,
      useFactory: () => new RailWorkOptions(settings.railQueryDelaysMs, settings.railPushTimeoutMs),
    },
  ];
}

function servers({ app, settings, servers, logger, metrics }: ProcessContext): Provider[] {
  return [
    {
      provide: Database,
      inject: [Keyring],
      useFactory: async (keyring: Keyring) => {
        const database = new Database({
          url: servers.databaseUrl,
          app,
          logger,
          searchPath: [viewSchema()],
          clockOffsetMs: settings.clockOffsetMs,
        });
        await migrateRecords(database);
        await createViews(database, viewSchema());
        await checkMasterKey(database, keyring);
        return database;
      },
    },
    {
      provide: RedisStore,
      useFactory: async () => {
        const redis = new RedisStore({ url: servers.redisUrl, logger });
        await redis.start();
        return redis;
      },
    },
    {
      provide: EventStoreDb,
      useFactory: () => {
        const appendSeconds = metrics.histogram({
          name: 'append_seconds',
          help: 'Time that an append to the event log took, retries included',
          labels: ['outcome'],
        });
        return new EventStoreDb({
          connectionString: servers.eventstoreUrl,
          eventTypes: { ...collectionEventTypes, ...merchantEventTypes },
          logger,
          onFatal: (error) => {
            logger.fatal({ err: error }, 'the event store client cannot go on: restarting');
            process.kill(process.pid, 'SIGTERM');
          },
          onAppend: ({ outcome, seconds }) => {
            appendSeconds.observe({ outcome }, seconds);
          },
        });
      },
    },
    { provide: EventStore, useExisting: EventStoreDb },
  ];
}

function ports({ settings, metrics, clock, ids }: ProcessContext): Provider[] {
  return [
    {
      provide: Pipeline,
      inject: [EventStore],
      useFactory: (store: EventStore) => new Pipeline(store, ids),
    },
    {
      provide: DarajaRail,
      inject: [RedisStore, Keyring],
      useFactory: (redis: RedisStore, keyring: Keyring) =>
        new DarajaRail({
          rails: settings.rails.mpesa,
          pushTimeoutMs: settings.railPushTimeoutMs,
          baseUrl: settings.baseUrl,
          tokens: (options) => new RailTokenCache(redis, options),
          clock,
          keyring,
          metrics,
        }),
    },
    { provide: Rail, useExisting: DarajaRail },
    {
      provide: PhoneVault,
      inject: [Database, Keyring],
      useFactory: (database: Database, keyring: Keyring) =>
        SealedPhoneVault.open(database, keyring),
    },
  ];
}
