import { EventStore } from '#domain/event-sourcing';
import { EventStoreDb } from '#infra/eventstoredb';
import { DataKeys } from '#adapters/keys';
import { deleteExpired } from '#adapters/records';
import { Database } from '#infra/postgres';
import { InboxStep, QueryStep, Rails, TimeoutStep, UnopenedStep } from '#edges/rails';
import { RedisStore } from '#infra/redis';
import {
  Loop,
  NestLogger,
  onTermination,
  type ProcessContext,
  runProcess,
  startAdminServer,
} from '#infra/runtime';
import { type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { SharedReceipts } from './shared-receipts.js';
import { UnfinishedCorrections } from './unfinished-corrections.js';
import { watchWaiting } from './waiting.js';

/** Customers watch their phones while a callback waits in the inbox; queries are minutes apart. */
const inboxIdleMs = 200;
/** They come only while a master key is rolled out. */
const unopenedIdleMs = 1000;
const queryIdleMs = 500;
const timeoutIdleMs = 10_000;
const correctionsIdleMs = 5000;
const receiptsIdleMs = 5000;
const housekeepingIdleMs = 600_000;
const maxBackoffMs = 5000;
/** A step ends when the rail's answer is there or given up; what is closed after it takes no second. */
const loopStopDeadlineMs = 8000;
/** Of all steps together, and well before the 15 s after which the launcher kills. */
const shutdownDeadlineMs = 10_000;

runProcess('worker', async (context) => {
  const { logger, metrics, settings } = context;
  const app = await NestFactory.createApplicationContext(AppModule.with(context), {
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  const [database, store, redis] = [app.get(Database), app.get(EventStore), app.get(RedisStore)];
  watchWaiting(database, metrics);
  const loops = loopsOf(app, context);
  for (const loop of loops) loop.start();
  const admin = await startAdminServer({
    host: settings.adminHost,
    port: settings.adminPort,
    registry: metrics.registry,
    checks: {
      postgres: () => database.query('select 1').then(() => undefined),
      redis: () => redis.ping().then(() => undefined),
      eventstore: (signal) => store.end(signal).then(() => undefined),
    },
  });
  onTermination(
    logger,
    [
      { name: 'loops', run: () => Promise.all(loops.map((loop) => loop.stop())) },
      { name: 'data keys', run: () => app.get(DataKeys).close() },
      { name: 'admin server', run: () => admin.close() },
      { name: 'rail', run: () => app.get(Rails).close() },
      { name: 'event store', run: () => app.get(EventStoreDb).dispose() },
      { name: 'redis', run: () => redis.close() },
      { name: 'database', run: () => database.close() },
    ],
    shutdownDeadlineMs,
  );
  logger.info({ adminPort: admin.port }, 'listening');
});

function loopsOf(
  app: INestApplicationContext,
  { logger, metrics, settings }: ProcessContext,
): readonly Loop[] {
  const loop = (name: string, step: () => Promise<'idle' | 'busy'>, idleMs: number) =>
    new Loop({
      name,
      step,
      idleMs,
      maxBackoffMs,
      stopDeadlineMs: loopStopDeadlineMs,
      logger,
      metrics,
    });
  const [inbox, queries, timeouts] = [app.get(InboxStep), app.get(QueryStep), app.get(TimeoutStep)];
  const corrections = app.get(UnfinishedCorrections);
  const unopened = app.get(UnopenedStep);
  const receipts = app.get(SharedReceipts);
  const database = app.get(Database);
  const { railMessageRetentionMs: railMessagesMs, railReviewAfterMs: reviewAfterMs } = settings;
  const kept = { railMessagesMs, reviewAfterMs };
  return [
    loop('callback-inbox', () => inbox.step(), inboxIdleMs),
    loop('unopened-callbacks', () => unopened.step(), unopenedIdleMs),
    loop('rail-queries', () => queries.step(), queryIdleMs),
    loop('rail-silence', () => timeouts.step(), timeoutIdleMs),
    loop('corrections', () => corrections.step(), correctionsIdleMs),
    loop('housekeeping', () => deleteExpired(database, kept), housekeepingIdleMs),
    loop('shared-receipts', () => receipts.step(), receiptsIdleMs),
  ];
}
