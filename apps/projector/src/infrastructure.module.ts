import { randomUUID } from 'node:crypto';
import { type DynamicModule, Module } from '@nestjs/common';
import { collectionEventTypes } from '#collections';
import { correctionEventTypes } from '#corrections';
import { EventStore } from '#event-sourcing';
import { EventStoreDb, openEventStoreDb } from '#eventstoredb';
import { reservationEventTypes } from '#ledger';
import { merchantEventTypes } from '#merchants';
import { retirementEventTypes } from '#v3-retirement';
import { Database, Lease } from '#postgres';
import { openViews, Projector, projectorLease, SqlViews } from '#read-models';
import { type ProcessContext } from '#runtime';

/** Binds the projector to its servers; the views of this release's shape exist when it is up. */
@Module({})
export class InfrastructureModule {
  static with(context: ProcessContext): DynamicModule {
    const { app, clock, timer, metrics } = context;
    return {
      module: InfrastructureModule,
      global: true,
      providers: [
        {
          provide: Database,
          // A batch of a rebuild may take longer than a request's statement.
          useFactory: () => openViews(context, { poolSize: 4, statementTimeoutMs: 30_000 }),
        },
        {
          provide: EventStoreDb,
          useFactory: () =>
            openEventStoreDb(context, {
              ...collectionEventTypes,
              ...correctionEventTypes,
              ...reservationEventTypes,
              ...merchantEventTypes,
              ...retirementEventTypes,
            }),
        },
        { provide: EventStore, useExisting: EventStoreDb },
        {
          provide: Projector,
          inject: [EventStore, Database],
          useFactory: (store: EventStore, database: Database) => {
            const holder = `${app}-${randomUUID()}`;
            const views = new SqlViews(database);
            const lease = new Lease(database, { name: projectorLease, holder });
            return new Projector({ store, views, lease, clock, timer, metrics });
          },
        },
      ],
      exports: [Database, EventStore, EventStoreDb, Projector],
    };
  }
}
