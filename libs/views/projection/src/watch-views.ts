import { type EventStore } from '#domain/event-sourcing';
import { type Queryable } from '#infra/postgres';
import { cachedFor, type Metrics } from '#infra/runtime';

const select = `
  select position, extract(epoch from records.now_() - fresh_at)::float8 as age from checkpoint`;

/** A scrape costs at most one row and one event, however many scrapers there are. */
const cachedMs = 1000;

/**
 * Shows the age of the views and the positions of log and views, in a process that only reads them: a projector that is
 * down cannot report itself. The value is NaN while nothing is known.
 */
export function watchViews(database: Queryable, store: EventStore, metrics: Metrics): void {
  const views = cachedFor(cachedMs, async () => {
    const [row] = await database.query<{ position: bigint; age: number | null }>(select);
    return { position: Number(row?.position ?? NaN), age: row?.age ?? NaN };
  });
  const end = cachedFor(cachedMs, async () => Number(await store.end()));
  metrics.gauge({
    name: 'views_age_seconds',
    help: 'How long ago the views are known to have held all of the log, by the database’s clock',
    collect: () =>
      views().then(
        ({ age }) => age,
        () => NaN,
      ),
  });
  metrics.gauge({
    name: 'views_position',
    help: 'Position of the log up to which the views hold it',
    collect: () =>
      views().then(
        ({ position }) => position,
        () => NaN,
      ),
  });
  metrics.gauge({
    name: 'eventstore_end_position',
    help: 'Position of the newest event of the log, as this process last saw it',
    collect: () => end().catch(() => NaN),
  });
}
