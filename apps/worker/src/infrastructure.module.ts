import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { collectionEventTypes, PhoneVault, Rail } from '#collections';
import { EventStore, Pipeline } from '#event-sourcing';
import { EventStoreDb } from '#eventstoredb';
import { Clock, Ids } from '#kernel';
import { merchantEventTypes } from '#merchants';
import { Database, migrateRecords, SealedPhoneVault } from '#postgres';
import { connectDaraja, DarajaRail } from '#rail-mpesa';
import { createViews, viewSchema } from '#read-models';
import { RedisStore } from '#redis';
import { type ProcessContext } from '#runtime';
import { Keyring } from '#signing';

/** Binds the worker to its servers; records and views exist when it is up. */
@Module({})
export class InfrastructureModule {
  static with(context: ProcessContext): DynamicModule {
    const providers: Provider[] = [
      { provide: Clock, useValue: context.clock },
      { provide: Ids, useValue: context.ids },
      { provide: Keyring, useFactory: () => Keyring.from(context.servers.masterKeys) },
      { provide: Database, useFactory: () => openDatabase(context) },
      { provide: EventStoreDb, useFactory: () => openEventStore(context) },
      { provide: EventStore, useExisting: EventStoreDb },
      {
        provide: Pipeline,
        inject: [EventStore, Ids],
        useFactory: (store: EventStore, ids: Ids) => new Pipeline(store, ids),
      },
      { provide: RedisStore, useFactory: () => openRedis(context) },
      {
        provide: DarajaRail,
        inject: [Keyring, RedisStore],
        useFactory: (keyring: Keyring, redis: RedisStore) => connectDaraja(context, keyring, redis),
      },
      { provide: Rail, useExisting: DarajaRail },
      {
        provide: PhoneVault,
        inject: [Database, Keyring],
        useFactory: (database: Database, keyring: Keyring) =>
          SealedPhoneVault.open(database, keyring),
      },
    ];
    return {
      module: InfrastructureModule,
      global: true,
      providers,
      exports: providers.map((provider) =>
        typeof provider === 'function' ? provider : provider.provide,
      ),
    };
  }
}

async function openDatabase({ app, settings, servers, logger }: ProcessContext): Promise<Database> {
  const database = new Database({
    url: servers.databaseUrl,
    app,
    logger,
    searchPath: [viewSchema()],
    clockOffsetMs: settings.clockOffsetMs,
    poolSize: 8,
  });
  await migrateRecords(database);
  await createViews(database, viewSchema());
  return database;
}

function openEventStore({ servers, logger }: ProcessContext): EventStoreDb {
  return new EventStoreDb({
    connectionString: servers.eventstoreUrl,
    eventTypes: { ...collectionEventTypes, ...merchantEventTypes },
    logger,
    onFatal: (error) => {
      logger.fatal({ err: error }, 'the event store client cannot go on');
      process.kill(process.pid, 'SIGTERM');
    },
  });
}

async function openRedis({ servers, logger }: ProcessContext): Promise<RedisStore> {
  const redis = new RedisStore({ url: servers.redisUrl, logger });
  await redis.start();
  return redis;
}
