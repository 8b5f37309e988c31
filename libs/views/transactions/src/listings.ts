import { type Queryable } from '#infra/postgres';
import { recordset } from '#views/view-set';
import { type TransactionRow } from './fields.js';

const write = {
  name: 'transaction-listings-write',
  text: `
  insert into transaction_listings
  select n.position, n.merchant_id, n.mode, n.type, n.status,
    (n.completed_at at time zone m.timezone)::date,
    (coalesce(n.paid_at, n.posted_at) at time zone m.timezone)::date
  from jsonb_populate_recordset(null::transactions, $1) n
  join merchants m using (merchant_id)
  on conflict (position) do update set
    status = excluded.status,
    completed_on = excluded.completed_on,
    paid_on = excluded.paid_on`,
};

/** Moves those items whose place in a filtered list changed: an update that changes nothing would cost as much. */
export async function projectListings(
  transaction: Queryable,
  stored: ReadonlyMap<string, TransactionRow>,
  touched: ReadonlyMap<string, TransactionRow>,
): Promise<void> {
  const moved = [...touched.values()].filter((row) => !isListedAs(stored.get(row.stream), row));
  if (moved.length > 0) await transaction.query(write, [recordset(moved)]);
}

function isListedAs(before: TransactionRow | undefined, row: TransactionRow): boolean {
  return (
    before?.status === row.status &&
    before.completed_at === row.completed_at &&
    before.paid_at === row.paid_at &&
    before.posted_at === row.posted_at
  );
}
