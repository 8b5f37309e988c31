import { type Queryable } from '#infra/postgres';
import { cachedFor, type Metrics } from '#infra/runtime';

/** A set takes minutes to build. */
const cachedMs = 5000;

const select = `
  select extract(epoch from coalesce(caught_up_at, swapped_at, records.now_()) - begun_at)::float8 as seconds
  from records.replays where kind <> 'rollback' and dropped_at is null order by id desc limit 1`;

/**
 * Shows how long the newest set of views took to build, or for how long it has been building (SLO-7). The value is NaN
 * while Postgres is down.
 */
export function watchRebuilds(database: Queryable, metrics: Metrics): void {
  const last = cachedFor(cachedMs, async () => {
    const [row] = await database.query<{ seconds: number }>(select);
    return row?.seconds ?? 0;
  });
  metrics.gauge({
    name: 'views_rebuild_seconds',
    help: 'Time that the newest set of views took to build, or has taken so far; 0 before the first',
    collect: () => last().catch(() => NaN),
  });
}
