import { type DrillRecorded, drillStream } from '#domain/drills';
import { type EventStore } from '#domain/event-sourcing';
import { msFromInstant } from '#domain/kernel';
import { cachedFor, type Metrics } from '#infra/runtime';

/** Drills are months apart. */
const cachedMs = 60_000;

/** Shows the time of the last restore drill, read at each scrape of the metrics (OPS-28). */
export function watchDrills(store: Pick<EventStore, 'readLast'>, metrics: Metrics): void {
  const last = cachedFor(cachedMs, async () => {
    const event = await store.readLast<DrillRecorded>(drillStream);
    return event?.data.outcome === 'held' ? msFromInstant(event.recordedAt) / 1000 : 0;
  });
  metrics.gauge({
    name: 'last_restore_drill_timestamp_seconds',
    help: 'When the last restore drill was, as Unix seconds; 0 where it failed or there was none yet',
    collect: () => last().catch(() => NaN),
  });
}
