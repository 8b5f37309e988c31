import { type Queryable } from '#infra/postgres';

const waiting = `
  select count(*)::integer as entries,
      coalesce(extract(epoch from records.now_() - min(received_at)), 0)::float8 as oldest_seconds
    from (
      select received_at from records.callback_inbox where applied_at is null
        order by next_attempt_at limit 10000
    ) waiting`;

/** The number of waiting entries, for metrics. */
export async function waitingInboxEntries(
  database: Queryable,
): Promise<{ readonly entries: number; readonly oldestSeconds: number }> {
  const [row] = await database.query<{ entries: number; oldest_seconds: number }>(waiting);
  return { entries: row?.entries ?? 0, oldestSeconds: row?.oldest_seconds ?? 0 };
}
