import { type RecordedEvent } from '#domain/event-sourcing';
import { type CollectionEvent } from '#domain/collections';
import { type Queryable } from '#infra/postgres';
import { recordset } from '#views/view-set';
import {
  hasTrait,
  rowFromDatabase,
  type StoredTransaction,
  transactionColumns,
  type TransactionRow,
} from './fields.js';
import { projectTransaction } from './item.js';
import { projectListings } from './listings.js';
import { projectIdentifiers } from './identifiers.js';

const selectByStream = {
  name: 'transactions-by-stream',
  text: `select * from transactions where stream = any($1)`,
};

const insert = {
  name: 'transactions-insert',
  text: `
  insert into transactions
  select t.*
  from jsonb_array_elements($1::jsonb) item
  join merchants m on m.merchant_id = item->>'merchant_id'
  cross join lateral jsonb_populate_record(
    null::transactions,
    item || jsonb_build_object(
      'created_on', ((item->>'created_at')::timestamptz at time zone m.timezone)::date)) t`,
};

// What no index holds, and nothing else: so the new version stays in its page (docs/adr/0026).
const update = {
  name: 'transactions-update',
  text: `
  update transactions t set ${transactionColumns
    .filter((column) => hasTrait(column, 'changes'))
    .map((column) => `${column} = n.${column}`)
    .join(', ')}
  from jsonb_populate_recordset(null::transactions, $1) n
  where t.position = n.position`,
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
  const stored = await readStored(transaction, events);
  for (const event of events) {
    const row = touched.get(event.stream) ?? stored.get(event.stream);
    touched.set(event.stream, projectTransaction(row, event));
  }
  const added = [...touched.values()].filter(({ stream }) => !stored.has(stream));
  const changed = [...touched.values()].filter(({ stream }) => stored.has(stream));
  if (added.length > 0) {
    await transaction.query(insert, [recordset(added)]);
    await transaction.query(widenDays, [added.map(({ position }) => position)]);
  }
  if (changed.length > 0) await transaction.query(update, [recordset(changed)]);
  await projectListings(transaction, stored, touched);
  await projectIdentifiers(transaction, events, touched);
  return touched;
}

/** The rows of those collections that did not begin in this batch. */
async function readStored(
  transaction: Queryable,
  events: readonly RecordedEvent<CollectionEvent>[],
): Promise<ReadonlyMap<string, TransactionRow>> {
  const begun = new Set<string>();
  for (const { type, stream } of events) if (type === 'CollectionIntentRecorded') begun.add(stream);
  const known = [...new Set(events.map(({ stream }) => stream))].filter((s) => !begun.has(s));
  if (known.length === 0) return new Map();
  const rows = await transaction.query<StoredTransaction>(selectByStream, [known]);
  return new Map(rows.map((row) => [row.stream, rowFromDatabase(row)]));
}
