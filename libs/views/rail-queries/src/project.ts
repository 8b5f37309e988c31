import { refundedCode, type TransactionRow } from '#views/transactions';
import { type Queryable } from '#infra/postgres';
import { recordset } from '#views/view-set';

/** True if only the rail can decide the outcome of the collection. An expected payment has no push to ask about. */
export function awaitsRail({ status, under_review, came_by }: TransactionRow): boolean {
  return status === 'pending' && !under_review && came_by !== 'c2b';
}

/**
 * True if the rail may still report it as paid although the service does not wait for that alone: the rail declined it,
 * or a person is to look. An untrusted callback may have put it under review, and must not keep the rail from being
 * asked. Money that went back, or is in suspense, is closed to the rail.
 */
export function mayStillBePaid(row: TransactionRow): boolean {
  const { status, under_review, rail_reference, receipt, failure_code } = row;
  if (rail_reference === null) return false;
  return status === 'failed'
    ? failure_code !== refundedCode
    : status === 'pending' && under_review && receipt === null;
}

/** True if the rail is asked about the collection at all. */
export function isAskedAbout(row: TransactionRow): boolean {
  return awaitsRail(row) || mayStillBePaid(row);
}

const upsert = {
  name: 'rail-queries-upsert',
  text: `
  insert into rail_queries select * from json_populate_recordset(null::rail_queries, $1)
  on conflict (stream) do update
    set rail_reference = excluded.rail_reference, declined = excluded.declined`,
};
const remove = {
  name: 'rail-queries-remove',
  text: `delete from rail_queries where stream = any($1)`,
};

/**
 * Keeps the collections of the batch about which the rail is asked on the list, and removes the others.
 * @param stored those that did not begin in this batch: no others are listed yet
 */
export async function projectRailQueries(
  transaction: Queryable,
  rows: Iterable<TransactionRow>,
  stored: ReadonlyMap<string, TransactionRow>,
): Promise<void> {
  const open: object[] = [];
  const settled: string[] = [];
  for (const row of rows) {
    const { stream, channel, mode, rail_reference, created_at } = row;
    const declined = mayStillBePaid(row);
    if (isAskedAbout(row))
      open.push({ stream, channel, mode, rail_reference, intent_at: created_at, declined });
    else if (stored.has(stream)) settled.push(stream);
  }
  if (open.length > 0) await transaction.query(upsert, [recordset(open)]);
  if (settled.length > 0) await transaction.query(remove, [settled]);
}
