import { EventStore } from '#domain/event-sourcing';
import { EventStoreDb } from '#infra/eventstoredb';
import { DataKeys } from '#records/keys';
import { watchBalances, watchBreakGlass, watchDrills, watchWaiting } from '#adapters/wiring';
import { Database, Heart } from '#infra/postgres';
import { AnnouncedAdmins } from '#edges/notices';
import { BalanceRails, PaymentListRails, Rails } from '#edges/rails';
import { DeliveryStep, WebhookSender } from '#edges/webhooks';
import { RedisStore } from '#infra/redis';
import { NestLogger, runLoops, runProcess } from '#infra/runtime';
import { builtViews } from '#views/view-set';
import { webhooksChannel } from '#views/webhook-outbox';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { loopsOf } from './loops.js';

/** The part of the shutdown time in which attempts in progress may still get an answer. */
const settleMs = 2000;

runProcess('worker', async (context) => {
  const { logger, metrics } = context;
  const app = await NestFactory.createApplicationContext(AppModule.with(context), {
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  const [database, store, redis] = [app.get(Database), app.get(EventStore), app.get(RedisStore)];
  watchWaiting(database, metrics, app.get(PaymentListRails));
  watchDrills(store, metrics);
  watchBalances(store, metrics, app.get(BalanceRails));
  watchBreakGlass(() => app.get(AnnouncedAdmins).waiting(), metrics);
  const [webhooks, sender] = [app.get(DeliveryStep), app.get(WebhookSender)];
  await database.listen(webhooksChannel, () => {
    webhooks.wake();
  });
  const heart = new Heart(context, database);
  const adminPort = await runLoops(context, {
    loops: loopsOf(app, context),
    checks: {
      postgres: () => database.query('select 1').then(() => undefined),
      redis: () => redis.ping().then(() => undefined),
      eventstore: (signal) => store.end(signal).then(() => undefined),
      // Before that, every list of work is empty, and the replicas of the previous release go on until then.
      views: builtViews([database]),
    },
    closing: [
      { name: 'heartbeat', run: () => heart.stop() },
      { name: 'webhooks', run: () => endWebhooks(webhooks, sender) },
      { name: 'data keys', run: () => app.get(DataKeys).close() },
      { name: 'rail', run: () => app.get(Rails).close() },
      { name: 'event store', run: () => app.get(EventStoreDb).dispose() },
      { name: 'redis', run: () => redis.close() },
      { name: 'database', run: () => database.close() },
    ],
  });
  heart.start(context.app, adminPort);
});

/** A delivery that is cut off is due again in seconds, for the first worker that checks. */
async function endWebhooks(webhooks: DeliveryStep, sender: WebhookSender): Promise<void> {
  await webhooks.settle(settleMs);
  await sender.close();
  await webhooks.settle(settleMs / 4);
}
