import {
  countUnopenedCallbacks,
  countUnpostedReports,
  waitingInboxEntries,
  waitingListedPayments,
} from '#records/rails';
import { failingEndpoints, unattemptedSeconds, waitingDeliveries } from '#records/webhooks';
import { type PaymentListRails } from '#edges/rails';
import { type Database } from '#infra/postgres';
import { waitingPayouts } from '#views/payouts';
import { waitingCollections } from '#views/rail-queries';
import { cachedFor, type Metrics } from '#infra/runtime';

/** One reading serves all gauges of a scrape, and all concurrent scrapes. */
const cachedMs = 5000;

/**
 * Shows how much waits for the worker and for the rail, read at each scrape of the metrics. The value is NaN while
 * Postgres is down, since the other metrics are then needed most.
 * @param rails the rails that are asked for the payments that they took
 */
export function watchWaiting(
  database: Database,
  metrics: Metrics,
  rails: Pick<PaymentListRails, 'all'>,
): void {
  const inbox = cachedFor(cachedMs, () =>
    waitingInboxEntries(database).catch(() => ({ entries: NaN, oldestSeconds: NaN })),
  );
  const collections = cachedFor(cachedMs, () =>
    waitingCollections(database).catch(() => ({
      collections: NaN,
      unanswered: NaN,
      oldestSeconds: NaN,
    })),
  );
  metrics.gauge({
    name: 'callback_inbox_entries',
    help: 'Callbacks that wait to be applied; 10,000 stands for more',
    collect: async () => (await inbox()).entries,
  });
  metrics.gauge({
    name: 'callback_inbox_oldest_seconds',
    help: 'Age of the oldest callback that waits to be applied',
    collect: async () => (await inbox()).oldestSeconds,
  });
  metrics.gauge({
    name: 'unopened_callbacks',
    help: 'Callbacks under a master key that no worker has yet, from the rail itself or under a key of this installation',
    collect: () => countUnopenedCallbacks(database).catch(() => NaN),
  });
  const unposted = cachedFor(cachedMs, () =>
    countUnpostedReports(database).then(
      (reports) => reports?.ofRail ?? NaN,
      () => NaN,
    ),
  );
  metrics.gauge({
    name: 'rail_unposted_reports',
    help: 'Payments that a report of the rail tells of, that the ledger does not hold and that wait for people; 10,000 stands for more',
    collect: () => unposted(),
  });
  metrics.gauge({
    name: 'rail_waiting_collections',
    help: 'Pending collections that wait for the rail’s report; 10,000 stands for more',
    collect: async () => (await collections()).collections,
  });
  metrics.gauge({
    name: 'rail_waiting_unanswered_collections',
    help: 'Pending collections whose push was not answered, so that the rail cannot be asked',
    collect: async () => (await collections()).unanswered,
  });
  metrics.gauge({
    name: 'rail_waiting_oldest_seconds',
    help: 'Age of the oldest collection that waits for the rail’s report',
    collect: async () => (await collections()).oldestSeconds,
  });
  watchPayouts(database, metrics);
  watchPaymentLists(database, metrics, rails);
  watchWebhooks(database, metrics);
}

function watchPayouts(database: Database, metrics: Metrics): void {
  const payouts = cachedFor(cachedMs, () =>
    waitingPayouts(database).catch(() => ({
      forRail: NaN,
      oldestSeconds: NaN,
      forFloat: NaN,
      paused: NaN,
      pausedSeconds: NaN,
      unsentSeconds: NaN,
    })),
  );
  metrics.gauge({
    name: 'payouts_waiting_for_rail',
    help: 'Payouts that were sent and wait for the rail’s result; 10,000 stands for more',
    collect: async () => (await payouts()).forRail,
  });
  metrics.gauge({
    name: 'payouts_waiting_oldest_seconds',
    help: 'For how long the first sent of them waits',
    collect: async () => (await payouts()).oldestSeconds,
  });
  metrics.gauge({
    name: 'payouts_waiting_for_float',
    help: 'Approved payouts that are not sent because the rail’s own account does not cover them',
    collect: async () => (await payouts()).forFloat,
  });
  metrics.gauge({
    name: 'payouts_paused',
    help: 'Approved payouts that are not sent because an operator paused them',
    collect: async () => (await payouts()).paused,
  });
  metrics.gauge({
    name: 'payouts_paused_seconds',
    help: 'Since the oldest pause that no operator has ended',
    collect: async () => (await payouts()).pausedSeconds,
  });
  metrics.gauge({
    name: 'payouts_unsent_seconds',
    help: 'For how long the first of the approved payouts waits that could be sent',
    collect: async () => (await payouts()).unsentSeconds,
  });
}

function watchPaymentLists(
  database: Database,
  metrics: Metrics,
  rails: Pick<PaymentListRails, 'all'>,
): void {
  const paymentLists = cachedFor(cachedMs, () =>
    waitingListedPayments(database, rails.all()).catch(() => ({ payments: NaN, ageSeconds: NaN })),
  );
  metrics.gauge({
    name: 'rail_missed_payments',
    help: 'Payments that the rail took, that the ledger does not hold and that wait for people; 10,000 stands for more',
    collect: async () => (await paymentLists()).payments,
  });
  metrics.gauge({
    name: 'rail_taken_age_seconds',
    help: 'Since the end of the last day of which the rail told what it took; of several rails the longest',
    collect: async () => (await paymentLists()).ageSeconds,
  });
}

function watchWebhooks(database: Database, metrics: Metrics): void {
  const deliveries = cachedFor(cachedMs, () =>
    waitingDeliveries(database).catch(() => ({
      waiting: NaN,
      oldestSeconds: NaN,
      overdueSeconds: NaN,
    })),
  );
  metrics.gauge({
    name: 'webhooks_waiting',
    help: 'Deliveries of webhooks that are not over, retries included; 10,000 stands for more',
    collect: async () => (await deliveries()).waiting,
  });
  metrics.gauge({
    name: 'webhooks_waiting_oldest_seconds',
    help: 'Since the event of the oldest of them',
    collect: async () => (await deliveries()).oldestSeconds,
  });
  metrics.gauge({
    name: 'webhooks_overdue_seconds',
    help: 'How long a delivery to an endpoint that does not fail has been due without being sent',
    collect: async () => (await deliveries()).overdueSeconds,
  });
  const unattempted = cachedFor(cachedMs, () => unattemptedSeconds(database).catch(() => NaN));
  metrics.gauge({
    name: 'webhooks_unattempted_seconds',
    help: 'Since the event of the delivery that waits longest for its first attempt, whether or not its endpoint fails',
    collect: () => unattempted(),
  });
  metrics.gauge({
    name: 'webhook_endpoints_failing',
    help: 'Enabled endpoints that are left alone after failures in a row, or took nothing for a day and refused events',
    collect: () =>
      failingEndpoints(database, 1).then(
        ({ ofAll }) => ofAll,
        () => NaN,
      ),
  });
}
