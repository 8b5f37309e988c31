import { setTimeout as sleep } from 'node:timers/promises';
import {
  watchBreakGlass,
  watchDrills,
  watchEnds,
  watchPlatform,
  watchWaiting,
} from '#adapters/wiring';
import { PushAnswers } from '#domain/collections';
import { EventStore } from '#domain/event-sourcing';
import { RoleDirectory } from '#domain/people';
import { EventStoreDb } from '#infra/eventstoredb';
import { createHttpApp, Drain, listenOn } from '#shared/http';
import { Database, Heart, ReadDatabase } from '#infra/postgres';
import { PlatformSources, RailWatch, watchSeals } from '#desk/operators';
import { watchViews } from '#views/projection';
import { watchRebuilds } from '#views/replay';
import { builtViews } from '#views/view-set';
import { Rails, PaymentListRails } from '#edges/rails';
import { RedisStore } from '#infra/redis';
import {
  type AdminServer,
  onTermination,
  runProcess,
  startAdminServer,
  withDeadline,
} from '#infra/runtime';
import { AppModule } from './app.module.js';

/** A load balancer that checks every second needs this long to see that the replica is not ready. */
const defaultDrainDelayMs = 5000;
/** The time that requests in flight have beyond the longest push. */
const shutdownMarginMs = 5000;
/** The part of that margin that is reserved for closing the connections of requests. */
const closingMs = 2000;
/** The rail's connections may still carry a push that no request waits for any more. */
const railClosingMs = 500;

runProcess('api', async (context) => {
  const { logger, metrics, settings } = context;
  const { baseUrl, trustedProxies, drainDelayMs = defaultDrainDelayMs } = settings;
  const drain = new Drain();
  const options = { baseUrl, trustedProxies, logger, metrics, drain };
  const app = await createHttpApp(AppModule.with(context), options);
  await app.init();

  /**
   * Answers to pushes may come up to a minute late. If no request waits for one any more, its callback brings the
   * result.
   */
  const served = async () => {
    await app.close();
    await app.get(PushAnswers).settled();
  };
  const [database, redis, store] = [app.get(Database), app.get(RedisStore), app.get(EventStore)];
  watchViews(database, store, metrics);
  watchRebuilds(database, metrics);
  const sealedInTime = watchSeals(store, context.clock, metrics);
  // The API watches them, because a dead worker or projector cannot report its own absence.
  watchWaiting(database, metrics, app.get(PaymentListRails));
  watchDrills(store, metrics);
  watchEnds(database, context);
  watchBreakGlass(() => app.get(RoleDirectory).breakGlass(), metrics);
  const platform = watchPlatform(app.get(PlatformSources), metrics, app.get(RailWatch));
  const heart = new Heart(context, database);
  let admin: AdminServer | undefined = undefined;
  const shutdownMs = settings.railPushTimeoutMs + shutdownMarginMs;
  // Registered before the first request, so that a stop at any moment finishes the request in progress.
  onTermination(
    logger,
    [
      {
        name: 'readiness',
        run: () => {
          drain.begin();
          return sleep(drainDelayMs);
        },
      },
      {
        name: 'requests',
        run: () => withDeadline(served(), shutdownMs - closingMs, 'not all were served in time'),
      },
      { name: 'heartbeat', run: () => heart.stop() },
      { name: 'admin server', run: async () => admin?.close() },
      {
        name: 'rail',
        run: () => withDeadline(app.get(Rails).close(), railClosingMs, 'a push is still under way'),
      },
      { name: 'event store', run: () => app.get(EventStoreDb).dispose() },
      { name: 'redis', run: () => redis.close() },
      { name: 'database', run: () => database.close() },
      { name: 'read database', run: () => app.get(ReadDatabase).close() },
    ],
    drainDelayMs + shutdownMs,
  );
  const port = await listenOn(app, settings);
  admin = await startAdminServer({
    host: settings.adminHost,
    port: settings.adminPort,
    registry: metrics.registry,
    checks: {
      postgres: () => database.query('select 1').then(() => undefined),
      redis: () => redis.ping().then(() => undefined),
      eventstore: (signal) => store.end(signal).then(() => undefined),
      views: builtViews([database, app.get(ReadDatabase)]),
    },
    advisories: { audit_seal: sealedInTime, ...platform },
    // If a callback cannot be applied at once, the API stores it in Postgres and answers then.
    parts: { rails: ['postgres'] },
    isDraining: () => drain.hasBegun,
  });
  heart.start(context.app, admin.port);
  logger.info({ port, adminPort: admin.port }, 'listening');
});
