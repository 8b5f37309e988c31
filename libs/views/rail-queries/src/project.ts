import { type Queryable } from '#infra/postgres';
import { type TransactionRow } from '#views/transactions';
import { recordset } from '#views/view-set';
import { isAskedAbout, mayStillBePaid } from './awaits-rail.js';

const upsert = {
  name: 'rail-queries-upsert',
  text: `
  insert into rail_queries select * from jsonb_populate_recordset(null::rail_queries, $1)
  on conflict (stream) do update
    set rail_reference = excluded.rail_reference, declined = excluded.declined`,
};
const remove = {
  name: 'rail-queries-remove',
  text: `delete from rail_queries where stream = any($1)`,
};

/** Keeps those collections of the batch on the list that the rail is asked about, and takes the others off. */
export async function projectRailQueries(
  transaction: Queryable,
  rows: Iterable<TransactionRow>,
): Promise<void> {
  const open: object[] = [];
  const settled: string[] = [];
  for (const row of rows) {
    const { stream, mode, rail_reference, created_at } = row;
    const declined = mayStillBePaid(row);
    if (isAskedAbout(row))
      open.push({ stream, mode, rail_reference, intent_at: created_at, declined });
    else settled.push(stream);
  }
  if (open.length > 0) await transaction.query(upsert, [recordset(open)]);
  if (settled.length > 0) await transaction.query(remove, [settled]);
}
