import { type Queryable } from '#infra/postgres';

/** Beyond it the newest are counted alone: a page must cost the same on a busy day. */
export const maxCountedItems = 5000;

/** How many collections of one status began how many steps ago. */
export interface RecentCount {
  readonly ago: number;
  readonly status: string;
  readonly count: number;
}

// The newest come first along the primary key, so that no index of instants is needed. The time is asked for once: as a
// call in each row's condition it takes ten times as long as all the rest.
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

/** Collections by outcome over the last steps, of the newest 5,000 items. */
export function recentCollections(
  database: Queryable,
  { stepSeconds, steps }: { readonly stepSeconds: number; readonly steps: number },
): Promise<RecentCount[]> {
  return database.query<RecentCount>(recent, [stepSeconds, steps]);
}
