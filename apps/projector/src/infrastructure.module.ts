import { randomUUID } from 'node:crypto';
import { type DynamicModule, Module } from '@nestjs/common';
import { collectionEventTypes } from '#collections';
import { EventStore } from '#event-sourcing';
import { EventStoreDb } from '#eventstoredb';
import { merchantEventTypes } from '#merchants';
import { Database, Lease, migrateRecords } from '#postgres';
import { createViews, Projector, projectorLease, viewSchema } from '#read-models';
import { type ProcessContext } from '#runtime';

/** Binds the projector to its servers; the views of this release's shape exist when it is up. */
@Module({})
export class InfrastructureModule {
  static with({ app, settings, servers, logger, metrics, clock }: ProcessContext): DynamicModule {
    return {
      module: InfrastructureModule,
      global: true,
      providers: [
        {
          provide: Database,
          useFactory: async () => {
            const database = new Database({
              url: servers.databaseUrl,
              app,
              logger,
              searchPath: [viewSchema()],
              clockOffsetMs: settings.clockOffsetMs,
              poolSize: 4,
              statementTimeoutMs: 30_000,
            });
            await migrateRecords(database);
            await createViews(database, viewSchema());
            return database;
          },
        },
        {
          provide: EventStoreDb,
          useFactory: () =>
            new EventStoreDb({
              connectionString: servers.eventstoreUrl,
              eventTypes: { ...collectionEventTypes, ...merchantEventTypes },
              logger,
              onFatal: (error) => {
                logger.fatal({ err: error }, 'the event store client cannot go on');
                process.kill(process.pid, 'SIGTERM');
              },
            }),
        },
        { provide: EventStore, useExisting: EventStoreDb },
        {
          provide: Projector,
          inject: [EventStore, Database],
          useFactory: (store: EventStore, database: Database) => {
            const holder = `${app}-${randomUUID()}`;
            const lease = new Lease(database, { name: projectorLease, holder });
            return new Projector({ store, database, lease, clock, metrics });
          },
        },
      ],
      exports: [Database, EventStore, EventStoreDb, Projector],
    };
  }
}
