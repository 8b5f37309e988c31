import { type Queryable } from '#infra/postgres';

/** Only the newest of more items are counted: a page must cost the same on a busy day. */
export const maxCountedItems = 5000;

/** The number of collections with one status that began in one step, counted back from now. */
export interface RecentCount {
  readonly ago: number;
  readonly status: string;
  readonly count: number;
}

// The newest come first along the primary key, so no index on instants is needed. The statement reads the time once: a
// call in each row's condition takes ten times as long as all the rest.
const recent = {
  name: 'transactions-recent',
  text: `
  with clock as materialized (select records.now_() as now)
  select floor(extract(epoch from now - created_at) / $1)::integer as ago, status, count(*)::integer as count
  from (
    select type, status, created_at from transactions order by position desc limit ${maxCountedItems}
  ) newest cross join clock
  where type = 'collection' and created_at > now - $1 * $2 * interval '1 second' and created_at <= now
  group by 1, 2`,
};

/** Collections by outcome over the last steps, from the newest 5,000 items. */
export function recentCollections(
  database: Queryable,
  { stepSeconds, steps }: { readonly stepSeconds: number; readonly steps: number },
): Promise<RecentCount[]> {
  return database.query<RecentCount>(recent, [stepSeconds, steps]);
}
