import { randomUUID } from 'node:crypto';
import { EventStore, UnknownEventType } from '#domain/event-sourcing';
import { EventStoreDb } from '#infra/eventstoredb';
import { Database, Heart } from '#infra/postgres';
import { ForeignLog, Projector, UnprojectableEvent } from '#views/projection';
import { type ReplayOptions } from '#views/replay';
import { builtViews, viewSchema } from '#views/view-set';
import { type Logger, NestLogger, runLoops, runProcess } from '#infra/runtime';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { projectorStep } from './projector-step.js';

/** The pause between two checks of the lease while another process leads. A dead leader is noticed after 5 s. */
const standbyMs = 500;

/** Failures in a row, with a backoff: a server that is briefly unavailable causes one or two. */
const maxFailures = 3;

/** Appears by name in the answer of /health/ready. */
class ProjectionFails extends Error {
  override readonly name = 'ProjectionFails';
}

runProcess('projector', async (context) => {
  const { logger } = context;
  const app = await NestFactory.createApplicationContext(AppModule.with(context), {
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  const [database, store, projector] = [app.get(Database), app.get(EventStore), app.get(Projector)];
  const building: ReplayOptions = {
    database,
    store,
    clock: context.clock,
    timer: context.timer,
    serving: viewSchema(),
    by: 'projector',
    holder: `projector-${randomUUID()}`,
  };
  const heart = new Heart(context, database);
  const adminPort = await runLoops(context, {
    loops: [
      {
        name: 'projector',
        step: async (signal) => {
          try {
            return await projectorStep({ building, projector, logger }, signal);
          } catch (error) {
            return endOnForeignHistory(logger)(error);
          }
        },
        idleMs: standbyMs,
        maxBackoffMs: 2000,
        // A step lasts for as long as the process leads. The age of the views shows if it does nothing.
        stalledAfterMs: Infinity,
      },
    ],
    checks: {
      postgres: () => database.query('select 1').then(() => undefined),
      eventstore: (signal) => store.end(signal).then(() => undefined),
      // Until then, the previous release's projector updates the set of views that serves.
      views: builtViews([database]),
      projection: () => {
        if (projector.failedTerms >= maxFailures) throw new ProjectionFails();
        return Promise.resolve(undefined);
      },
    },
    extra: () => projector.standing(),
    closing: [
      { name: 'heartbeat', run: () => heart.stop() },
      { name: 'event store', run: () => app.get(EventStoreDb).dispose() },
      { name: 'database', run: () => database.close() },
    ],
  });
  heart.start(context.app, adminPort);
});

/** Ends the process, because views that skip an event or belong to another log would be wrong for ever. */
function endOnForeignHistory(logger: Logger): (error: unknown) => never {
  return (error) => {
    const isForeign = [UnknownEventType, UnprojectableEvent, ForeignLog].some(
      (kind) => error instanceof kind,
    );
    if (!isForeign) throw error;
    logger.fatal({ err: error }, error instanceof Error ? error.message : 'foreign history');
    process.exit(1);
  };
}
