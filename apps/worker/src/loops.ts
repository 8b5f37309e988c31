import { deleteExpired } from '#records/operations';
import {
  BalanceStep,
  CollectionsClient,
  FloatStep,
  InboxStep,
  PaymentListStep,
  PayoutAgeStep,
  PayoutQueryStep,
  PayoutReviewStep,
  PayoutSendStep,
  QueryStep,
  TakenHoursStep,
  TimeoutStep,
  UnopenedStep,
} from '#edges/rails';
import { type Mode, modes } from '#domain/kernel';
import { NoticesStep } from '#edges/notices';
import { DeliveryStep } from '#edges/webhooks';
import { Database } from '#infra/postgres';
import { Metrics, type ProcessContext, type runLoops } from '#infra/runtime';
import { type INestApplicationContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { BreakGlassStep } from './break-glass.js';
import { logCommandLineActs } from './command-line-acts.js';
import { DailySeal } from './daily-seal.js';
import { PayoutNumberSweep } from './payout-numbers.js';
import { overdueCorrections, unfinishedCorrections } from './repairs/corrections.js';
import { unfinishedPayoutBatches, unfinishedPayouts } from './repairs/payouts.js';
import { type Repair, repairStep } from './repairs/repairs.js';
import { sharedCheckouts } from './repairs/shared-checkouts.js';
import { sharedReceipts } from './repairs/shared-receipts.js';
import { WebhookUpkeep } from './webhook-upkeep.js';
import { WorkerNow } from './worker-now.js';

/** Short, because a customer watches the phone while a callback waits in the inbox. Queries are minutes apart. */
const inboxIdleMs = 200;
/** Such callbacks come only during a rollout of a master key. */
const unopenedIdleMs = 1000;
const queryIdleMs = 500;
const timeoutIdleMs = 10_000;
const correctionsIdleMs = 5000;
/** An open correction ends after a day. */
const overdueIdleMs = 30_000;
/** Short, because a merchant waits for an approved payout. */
const payoutsIdleMs = 300;
const unfinishedPayoutsIdleMs = 5000;
/** The pause between two queries of the rail account's float. */
const floatIdleMs = 60_000;
/** The process that ends a payout deletes its number, so few are left. */
const numbersIdleMs = 60_000;
const receiptsIdleMs = 5000;
const checkoutsIdleMs = 5000;
/** Short, because answers come within seconds of the daily question. */
const balanceIdleMs = 2000;
/** Only once a day, or an hour, there is something to query. */
const paymentListIdleMs = 30_000;
const housekeepingIdleMs = 600_000;
/** The step waits by itself until something is due. */
const webhooksIdleMs = 0;
const webhookUpkeepIdleMs = 60_000;
/** A requester has a day, and the notice goes out within a minute. */
const noticesIdleMs = 10_000;
/** An announcement waits for 24 h, and its notice goes out within a minute. */
const breakGlassIdleMs = 10_000;
/** A line of the security log is a few seconds old at most. */
const commandLineActsIdleMs = 2000;
/** Days end at a known time, and a missed one must be sealed soon. */
const dailySealIdleMs = 60_000;
const maxBackoffMs = 5000;

/** A step asks 64 final questions at most, four at a time, and a slow rail takes ten seconds for each. */
const silenceStalledAfterMs = 900_000;
/** A page lists up to a thousand payments, and each that is unknown here is asked about. */
const paymentListStalledAfterMs = 3_600_000;
/** A step takes five batches, each of up to a thousand payouts. */
const batchesStalledAfterMs = 3_600_000;
/** A step deletes from each of some forty tables. */
const housekeepingStalledAfterMs = 900_000;
/** A step reads the log of each day that was missed. The alert AuditSealOverdue reports a late seal sooner. */
const dailySealStalledAfterMs = 4 * 3_600_000;

type Loop = Parameters<typeof runLoops>[1]['loops'][number];

/** @param stalledAfterMs only for steps that may take minutes */
function loop(name: string, step: Loop['step'], idleMs: number, stalledAfterMs?: number): Loop {
  return {
    name,
    step,
    idleMs,
    maxBackoffMs,
    ...(stalledAfterMs === undefined ? {} : { stalledAfterMs }),
  };
}

/** Returns a loop for each mode for steps that wait for a rail: if one mode's rail hangs, the other mode goes on. */
function ofEachMode(
  name: string,
  step: (mode: Mode, signal: AbortSignal) => Promise<'idle' | 'busy'>,
  idleMs: number,
  stalledAfterMs?: number,
): readonly Loop[] {
  return modes.map((mode) =>
    loop(`${name}-${mode}`, (signal) => step(mode, signal), idleMs, stalledAfterMs),
  );
}

/** Returns all loops of the worker. */
export function loopsOf(
  app: INestApplicationContext,
  { settings, logger }: Pick<ProcessContext, 'settings' | 'logger'>,
): readonly Loop[] {
  const database = app.get(Database);
  const { evidenceRetentionMs: evidenceMs, railReviewAfterMs: reviewAfterMs } = settings;
  const kept = { evidenceMs, reviewAfterMs };
  return [
    ...railLoops(app),
    loop('unopened-callbacks', () => app.get(UnopenedStep).step(), unopenedIdleMs),
    ...repairLoops(app),
    loop(
      'housekeeping',
      () => deleteExpired(database, kept),
      housekeepingIdleMs,
      housekeepingStalledAfterMs,
    ),
    loop('payout-ages', () => app.get(PayoutAgeStep).step(), timeoutIdleMs),
    loop('payout-reviews', () => app.get(PayoutReviewStep).step(), timeoutIdleMs),
    loop('payout-numbers', () => app.get(PayoutNumberSweep).step(), numbersIdleMs),
    loop('webhooks', () => app.get(DeliveryStep).step(), webhooksIdleMs),
    loop(
      'daily-seal',
      (signal) => app.get(DailySeal).step(signal),
      dailySealIdleMs,
      dailySealStalledAfterMs,
    ),
    loop('break-glass', () => app.get(BreakGlassStep).step(), breakGlassIdleMs),
    loop('command-line-acts', () => logCommandLineActs(database, logger), commandLineActsIdleMs),
    loop('notices', () => app.get(NoticesStep).step(), noticesIdleMs),
    loop('webhook-upkeep', () => app.get(WebhookUpkeep).step(), webhookUpkeepIdleMs),
  ];
}

function repairLoops(app: INestApplicationContext): readonly Loop[] {
  const tools = {
    database: app.get(Database),
    commandBus: app.get(CommandBus),
    collections: app.get(CollectionsClient),
    worker: app.get(WorkerNow),
    metrics: app.get(Metrics),
  };
  const repair = (name: string, kind: Repair, idleMs: number, stalledAfterMs?: number): Loop =>
    loop(name, repairStep(kind, tools), idleMs, stalledAfterMs);
  return [
    repair('corrections', unfinishedCorrections, correctionsIdleMs),
    repair('overdue-corrections', overdueCorrections, overdueIdleMs),
    repair('unfinished-payouts', unfinishedPayouts, unfinishedPayoutsIdleMs),
    repair(
      'unfinished-batches',
      unfinishedPayoutBatches,
      unfinishedPayoutsIdleMs,
      batchesStalledAfterMs,
    ),
    repair('shared-checkouts', sharedCheckouts(), checkoutsIdleMs),
    repair('shared-receipts', sharedReceipts, receiptsIdleMs),
  ];
}

function railLoops(app: INestApplicationContext): readonly Loop[] {
  const [inbox, queries, timeouts] = [app.get(InboxStep), app.get(QueryStep), app.get(TimeoutStep)];
  const [sends, asks] = [app.get(PayoutSendStep), app.get(PayoutQueryStep)];
  const [floats, paymentLists] = [app.get(FloatStep), app.get(PaymentListStep)];
  const hours = app.get(TakenHoursStep);
  const [listIdleMs, listStalledMs] = [paymentListIdleMs, paymentListStalledAfterMs];
  return [
    ...ofEachMode('callback-inbox', (mode) => inbox.step(mode), inboxIdleMs),
    ...ofEachMode('rail-queries', (mode) => queries.step(mode), queryIdleMs),
    ...ofEachMode(
      'rail-silence',
      (mode) => timeouts.step(mode),
      timeoutIdleMs,
      silenceStalledAfterMs,
    ),
    ...ofEachMode('rail-takings', (mode) => paymentLists.step(mode), listIdleMs, listStalledMs),
    ...ofEachMode('rail-last-hour', (mode) => hours.step(mode), listIdleMs, listStalledMs),
    ...ofEachMode('payouts', (mode, signal) => sends.step(mode, signal), payoutsIdleMs),
    ...ofEachMode('payout-queries', (mode) => asks.step(mode), queryIdleMs),
    ...ofEachMode('rail-float', (mode) => floats.step(mode), floatIdleMs),
    ...ofEachMode('rail-balance', (mode) => app.get(BalanceStep).step(mode), balanceIdleMs),
  ];
}
