import { type EventStore } from '#domain/event-sourcing';
import { msFromInstant } from '#domain/kernel';
import { type RailBalanceEvent, railBalanceStream } from '#domain/settlements';
import { type BalanceRails } from '#edges/rails';
import { cachedFor, type Metrics } from '#infra/runtime';

const cachedMs = 60_000;

/** Shows the last comparison of each rail's balance with the ledger, read at each scrape of the metrics (BAL-7). */
export function watchBalances(
  store: Pick<EventStore, 'readLast'>,
  metrics: Metrics,
  rails: Pick<BalanceRails, 'all'>,
): void {
  const last = cachedFor(cachedMs, () =>
    Promise.all(
      rails.all().map(async ({ channel, mode }) => {
        const event = await store
          .readLast<RailBalanceEvent>(railBalanceStream({ channel, mode }))
          .catch(() => undefined);
        return { labels: { channel, mode }, event };
      }),
    ),
  );
  const labels = ['channel', 'mode'] as const;
  metrics.gauge({
    name: 'rail_balance_difference_minor',
    help: 'Unexplained part of the rail’s balance, above or below the ledger’s figure, in minor units; NaN before the first comparison',
    labels,
    collectAll: async () =>
      (await last()).map(({ labels: of, event }) => ({ labels: of, value: differenceOf(event) })),
  });
  metrics.gauge({
    name: 'rail_balance_compared_at_seconds',
    help: 'When a comparison of the rail’s balance was last recorded, in Unix seconds; NaN before the first',
    labels,
    collectAll: async () =>
      (await last()).map(({ labels: of, event }) => ({
        labels: of,
        value: event ? msFromInstant(event.recordedAt) / 1000 : NaN,
      })),
  });
}

function differenceOf(event: RailBalanceEvent | undefined): number {
  if (!event) return NaN;
  return event.type === 'RailBalanceCompared' && event.data.outcome === 'differs'
    ? Number(event.data.differenceMinor)
    : 0;
}
