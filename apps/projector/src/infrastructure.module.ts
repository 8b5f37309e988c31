import { randomUUID } from 'node:crypto';
import { type DynamicModule, Module } from '@nestjs/common';
import { EventStore } from '#domain/event-sourcing';
import { EventStoreDb, openEventStoreDb } from '#infra/eventstoredb';
import { Database, Lease } from '#infra/postgres';
import { openViews, viewSchema } from '#views/view-set';
import { Projector, projectorLease, SqlViews, type Stopped } from '#views/projection';
import { type Logger, type ProcessContext } from '#infra/runtime';

/** Binds the projector to its servers. When the module is up, the views of this release exist. */
@Module({})
export class InfrastructureModule {
  static with(context: ProcessContext): DynamicModule {
    const { app, clock, timer, metrics, logger } = context;
    return {
      module: InfrastructureModule,
      global: true,
      providers: [
        {
          provide: Database,
          // A batch of a rebuild may take longer than a request's statement; its writes are sent in one go.
          useFactory: () =>
            openViews(context, { poolSize: 4, statementTimeoutMs: 30_000, isPipelined: true }),
        },
        {
          provide: EventStoreDb,
          useFactory: () => openEventStoreDb(context),
        },
        { provide: EventStore, useExisting: EventStoreDb },
        {
          provide: Projector,
          inject: [EventStore, Database],
          useFactory: (store: EventStore, database: Database) => {
            const holder = `${app}-${randomUUID()}`;
            const schema = viewSchema();
            const views = new SqlViews(database, { schema, onStopped: reporting(logger) });
            const lease = new Lease(database, { name: projectorLease(schema), holder });
            const { quarantined } = views;
            return new Projector({ store, views, quarantined, lease, clock, timer, metrics });
          },
        },
      ],
      exports: [Database, EventStore, EventStoreDb, Projector],
    };
  }
}

/** Logs one line for each part of a merchant's views that stops updating. */
function reporting(logger: Logger): (stopped: readonly Stopped[]) => void {
  return (stopped) => {
    for (const { merchantId, scope, position, type, stream, why } of stopped)
      logger.error(
        {
          code: 'merchant_quarantined',
          merchantId,
          scope,
          position: String(position),
          type,
          stream,
          why,
        },
        'an event cannot be applied, so its merchant’s views have stopped: see projection quarantine list',
      );
  };
}
