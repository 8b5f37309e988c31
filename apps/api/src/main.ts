import { PushAnswers } from '#collections';
import { EventStore } from '#event-sourcing';
import { EventStoreDb } from '#eventstoredb';
import { createHttpApp, listenEverywhere } from '#http';
import { Database } from '#postgres';
import { DarajaRail } from '#rail-mpesa';
import { RedisStore } from '#redis';
import { onTermination, runProcess, startAdminServer } from '#runtime';
import { AppModule } from './app.module.js';

/** What requests in flight may still take after the longest push. */
const shutdownMarginMs = 5000;

runProcess('api', async (context) => {
  const { logger, metrics, settings } = context;
  const { trustedProxies } = settings;
  const app = await createHttpApp(AppModule.with(context), { trustedProxies, logger, metrics });
  await app.init();
  const port = await listenEverywhere(app, settings.port);

  const [database, redis, store] = [app.get(Database), app.get(RedisStore), app.get(EventStore)];
  const admin = await startAdminServer({
    host: settings.adminHost,
    port: settings.adminPort,
    registry: metrics.registry,
    checks: {
      postgres: () => database.query('select 1').then(() => undefined),
      redis: () => redis.ping().then(() => undefined),
      eventstore: () => store.head(['merchant-']).then(() => undefined),
    },
  });
  onTermination(
    logger,
    [
      { name: 'http', run: () => app.close() },
      { name: 'late push answers', run: () => app.get(PushAnswers).settled() },
      { name: 'admin server', run: () => admin.close() },
      { name: 'rail', run: () => app.get(DarajaRail).close() },
      { name: 'event store', run: () => app.get(EventStoreDb).dispose() },
      { name: 'redis', run: () => redis.close() },
      { name: 'database', run: () => database.close() },
    ],
    settings.railPushTimeoutMs + shutdownMarginMs,
  );
  logger.info({ port, adminPort: admin.port }, 'listening');
});
