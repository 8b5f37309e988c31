import { EventStore } from '#domain/event-sourcing';
import { EventStoreDb } from '#infra/eventstoredb';
import { DataKeys } from '#adapters/keys';
import { deleteExpired } from '#adapters/records';
import { Database } from '#infra/postgres';
import {
  FloatStep,
  InboxStep,
  PayoutQueryStep,
  PayoutReviewStep,
  PayoutSendStep,
  QueryStep,
  Rails,
  TakingRails,
  TakingsStep,
  TimeoutStep,
  UnopenedStep,
} from '#edges/rails';
import { NoticesStep } from '#edges/notices';
import { DeliveryStep, WebhookSender } from '#edges/webhooks';
import { RedisStore } from '#infra/redis';
import { NestLogger, type ProcessContext, runLoops, runProcess } from '#infra/runtime';
import { webhooksChannel } from '#views/webhook-outbox';
import { type INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from './app.module.js';
import { DailySeal } from './daily-seal.js';
import { watchDrills } from './drills.js';
import { LeftNumbers } from './payout-numbers.js';
import {
  OverdueCorrections,
  SharedReceipts,
  UnfinishedCorrections,
  UnfinishedPayoutBatches,
  UnfinishedPayouts,
} from './stream-repairs.js';
import { watchWaiting } from './waiting.js';
import { WebhookUpkeep } from './webhook-upkeep.js';

/** Customers watch their phones while a callback waits in the inbox; queries are minutes apart. */
const inboxIdleMs = 200;
/** They come only while a master key is rolled out. */
const unopenedIdleMs = 1000;
const queryIdleMs = 500;
const timeoutIdleMs = 10_000;
const correctionsIdleMs = 5000;
/** They end after a day. */
const overdueIdleMs = 30_000;
/** A merchant waits for an approved payout. */
const payoutsIdleMs = 300;
const unfinishedPayoutsIdleMs = 5000;
/** How often the rail is asked what its account holds. */
const floatIdleMs = 60_000;
/** Whoever ends a payout deletes its number; few are left. */
const numbersIdleMs = 60_000;
const receiptsIdleMs = 5000;
/** Once a day there is something to ask. */
const takingsIdleMs = 30_000;
const housekeepingIdleMs = 600_000;
/** The step waits by itself until something is due. */
const webhooksIdleMs = 0;
const webhookUpkeepIdleMs = 60_000;
/** Who asks has a day; somebody is told within a minute. */
const noticesIdleMs = 10_000;
/** Days end at a known time, and a missed one is to be sealed soon. */
const dailySealIdleMs = 60_000;
/** Of what a process may take to end, the part in which attempts that are under way may still be answered. */
const settleMs = 2000;
const maxBackoffMs = 5000;

runProcess('worker', async (context) => {
  const { logger, metrics } = context;
  const app = await NestFactory.createApplicationContext(AppModule.with(context), {
    logger: new NestLogger(logger),
    abortOnError: false,
  });
  const [database, store, redis] = [app.get(Database), app.get(EventStore), app.get(RedisStore)];
  watchWaiting(database, metrics, app.get(TakingRails));
  watchDrills(store, metrics);
  const [webhooks, sender] = [app.get(DeliveryStep), app.get(WebhookSender)];
  await database.listen(webhooksChannel, () => {
    webhooks.wake();
  });
  await runLoops(context, {
    loops: loopsOf(app, context),
    checks: {
      postgres: () => database.query('select 1').then(() => undefined),
      redis: () => redis.ping().then(() => undefined),
      eventstore: (signal) => store.end(signal).then(() => undefined),
    },
    closing: [
      { name: 'webhooks', run: () => endWebhooks(webhooks, sender) },
      { name: 'data keys', run: () => app.get(DataKeys).close() },
      { name: 'rail', run: () => app.get(Rails).close() },
      { name: 'event store', run: () => app.get(EventStoreDb).dispose() },
      { name: 'redis', run: () => redis.close() },
      { name: 'database', run: () => database.close() },
    ],
  });
});

function loopsOf(
  app: INestApplicationContext,
  { settings }: ProcessContext,
): Parameters<typeof runLoops>[1]['loops'] {
  const loop = (name: string, step: Loop['step'], idleMs: number) => ({
    name,
    step,
    idleMs,
    maxBackoffMs,
  });
  const [inbox, queries, timeouts] = [app.get(InboxStep), app.get(QueryStep), app.get(TimeoutStep)];
  const corrections = app.get(UnfinishedCorrections);
  const unopened = app.get(UnopenedStep);
  const receipts = app.get(SharedReceipts);
  const unfinishedPayouts = app.get(UnfinishedPayouts);
  const unfinishedBatches = app.get(UnfinishedPayoutBatches);
  const database = app.get(Database);
  const { evidenceRetentionMs: evidenceMs, railReviewAfterMs: reviewAfterMs } = settings;
  const kept = { evidenceMs, reviewAfterMs };
  return [
    loop('callback-inbox', () => inbox.step(), inboxIdleMs),
    loop('unopened-callbacks', () => unopened.step(), unopenedIdleMs),
    loop('rail-queries', () => queries.step(), queryIdleMs),
    loop('rail-silence', () => timeouts.step(), timeoutIdleMs),
    loop('rail-takings', () => app.get(TakingsStep).step(), takingsIdleMs),
    loop('corrections', () => corrections.step(), correctionsIdleMs),
    loop('overdue-corrections', () => app.get(OverdueCorrections).step(), overdueIdleMs),
    loop('housekeeping', () => deleteExpired(database, kept), housekeepingIdleMs),
    ...payoutLoops(app, loop),
    loop('unfinished-payouts', () => unfinishedPayouts.step(), unfinishedPayoutsIdleMs),
    loop('unfinished-batches', () => unfinishedBatches.step(), unfinishedPayoutsIdleMs),
    loop('shared-receipts', () => receipts.step(), receiptsIdleMs),
    loop('webhooks', () => app.get(DeliveryStep).step(), webhooksIdleMs),
    loop('daily-seal', (signal) => app.get(DailySeal).step(signal), dailySealIdleMs),
    loop('notices', () => app.get(NoticesStep).step(), noticesIdleMs),
    loop('webhook-upkeep', () => app.get(WebhookUpkeep).step(), webhookUpkeepIdleMs),
  ];
}

/** What is cut off is due again in seconds, for whichever worker looks first. */
async function endWebhooks(webhooks: DeliveryStep, sender: WebhookSender): Promise<void> {
  await webhooks.settle(settleMs);
  await sender.close();
  await webhooks.settle(settleMs / 4);
}

type Loop = Parameters<typeof runLoops>[1]['loops'][number];

function payoutLoops(
  app: INestApplicationContext,
  loop: (name: string, step: () => Promise<'idle' | 'busy'>, idleMs: number) => Loop,
): readonly Loop[] {
  const [sends, queries] = [app.get(PayoutSendStep), app.get(PayoutQueryStep)];
  const [reviews, floats] = [app.get(PayoutReviewStep), app.get(FloatStep)];
  const leftNumbers = app.get(LeftNumbers);
  return [
    loop('payouts', () => sends.step(), payoutsIdleMs),
    loop('payout-queries', () => queries.step(), queryIdleMs),
    loop('payout-reviews', () => reviews.step(), timeoutIdleMs),
    loop('payout-numbers', () => leftNumbers.step(), numbersIdleMs),
    loop('rail-float', () => floats.step(), floatIdleMs),
  ];
}
