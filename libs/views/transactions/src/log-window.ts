import { type Position } from '#domain/event-sourcing';
import { type Queryable } from '#infra/postgres';

// Days are those of each merchant's time zone, so two days before is before that day in every zone.
const select = `
  select max(last_position) as position from transaction_days where day < $1::date - 1`;

/**
 * A position of the log in front of everything that happened to collections of that day and later.
 * @param day YYYY-MM-DD
 */
export async function logBefore(database: Queryable, day: string): Promise<Position | 'start'> {
  const [row] = await database.query<{ position: bigint | null }>(select, [day]);
  return row?.position ?? 'start';
}
