import { type Position } from '#domain/event-sourcing';
import { type Queryable } from '#infra/postgres';

/** How the views stand, for whoever looks after them. */
export interface ViewStanding {
  readonly position: Position;
  /** Since the views last held all of the log, by the database's clock; null where they never did. */
  readonly ageSeconds: number | null;
  /** Merchants and modes that stand still. */
  readonly quarantined: number;
}

const select = `
  select position, extract(epoch from records.now_() - fresh_at)::float8 as age, quarantined from checkpoint`;

export async function viewStanding(database: Queryable): Promise<ViewStanding> {
  const [row] = await database.query<{
    position: bigint;
    age: number | null;
    quarantined: number;
  }>(select);
  if (!row) throw new TypeError('the views have no checkpoint row');
  return { position: row.position, ageSeconds: row.age, quarantined: row.quarantined };
}
