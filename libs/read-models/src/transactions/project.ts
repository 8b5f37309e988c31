import { type RecordedEvent } from '#event-sourcing';
import { type CollectionEvent } from '#collections';
import { type Queryable } from '#postgres';
import { recordset } from '../view-set/recordset.js';
import { projectTransaction, type TransactionRow } from './item.js';
import { rowFromDatabase, type StoredTransaction } from './stored.js';

const selectByStream = {
  name: 'transactions-by-stream',
  text: `select * from transactions where stream = any($1)`,
};

const upsert = {
  name: 'transactions-upsert',
  text: `
  insert into transactions
  select t.*
  from jsonb_array_elements($1::jsonb) item
  join merchants m on m.merchant_id = item->>'merchant_id'
  cross join lateral jsonb_populate_record(
    null::transactions,
    item || jsonb_build_object(
      'created_on', ((item->>'created_at')::timestamptz at time zone m.timezone)::date,
      'completed_on', ((item->>'completed_at')::timestamptz at time zone m.timezone)::date,
      'paid_on', (coalesce(item->>'paid_at', item->>'posted_at')::timestamptz at time zone m.timezone)::date)) t
  on conflict (position) do update set
    status = excluded.status,
    amount_minor = excluded.amount_minor,
    fee_minor = excluded.fee_minor,
    rail_reference = excluded.rail_reference,
    receipt = excluded.receipt,
    failure_code = excluded.failure_code,
    under_review = excluded.under_review,
    completed_at = excluded.completed_at,
    paid_at = excluded.paid_at,
    posted_at = excluded.posted_at,
    completed_on = excluded.completed_on,
    paid_on = excluded.paid_on`,
};

const widenDays = {
  name: 'transaction-days-widen',
  text: `
  insert into transaction_days as d (merchant_id, mode, day, first_position, last_position)
  select merchant_id, mode, created_on, min(position), max(position)
  from transactions where position = any($1::bigint[])
  group by merchant_id, mode, created_on
  on conflict (merchant_id, mode, day) do update set
    first_position = least(d.first_position, excluded.first_position),
    last_position = greatest(d.last_position, excluded.last_position)`,
};

/**
 * Folds a batch's events into their rows: those that exist are read once, changed in memory, written once.
 * @returns the rows that the batch touched, by stream
 */
export async function projectTransactions(
  transaction: Queryable,
  events: readonly RecordedEvent<CollectionEvent>[],
): Promise<ReadonlyMap<string, TransactionRow>> {
  const touched = new Map<string, TransactionRow>();
  if (events.length === 0) return touched;
  const begun = new Set<string>();
  for (const { type, stream } of events) if (type === 'CollectionIntentRecorded') begun.add(stream);
  const known = [...new Set(events.map(({ stream }) => stream))].filter((s) => !begun.has(s));
  if (known.length > 0) {
    const stored = await transaction.query<StoredTransaction>(selectByStream, [known]);
    for (const row of stored) touched.set(row.stream, rowFromDatabase(row));
  }
  const added: bigint[] = [];
  for (const event of events) {
    touched.set(event.stream, projectTransaction(touched.get(event.stream), event));
    if (event.type === 'CollectionIntentRecorded') added.push(event.position);
  }
  await transaction.query(upsert, [recordset([...touched.values()])]);
  if (added.length > 0) await transaction.query(widenDays, [added]);
  return touched;
}
