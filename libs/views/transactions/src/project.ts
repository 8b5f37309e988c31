import { type Queryable } from '#infra/postgres';
import { recordset, type Remembered, requireNoQuarantine } from '#views/view-set';
import {
  hasTrait,
  rowFromDatabase,
  type StoredTransaction,
  transactionColumns,
  type TransactionRow,
} from './fields.js';
import { type RecordedEvent } from '#domain/event-sourcing';
import { type Mode } from '#domain/kernel';
import { beginsItem, type ItemEvent, projectTransaction } from './item.js';

const write = {
  name: 'transaction-listings-write',
  text: `
  insert into transaction_listings
  select n.position, n.merchant_id, n.mode, coalesce(n.came_by, n.type), n.status,
    (n.completed_at at time zone m.timezone)::date,
    (coalesce(n.paid_at, n.posted_at) at time zone m.timezone)::date
  from json_populate_recordset(null::transactions, $1) n
  join merchants m using (merchant_id)
  on conflict (position) do update set
    status = excluded.status,
    completed_on = excluded.completed_on,
    paid_on = excluded.paid_on`,
};

const listed = [
  ...(['position', 'merchant_id', 'mode', 'type', 'came_by', 'status'] as const),
  ...(['completed_at', 'paid_at', 'posted_at'] as const),
] as const;

/** Updates only items whose place in a filtered list changed: an update that changes nothing would cost as much. */
export async function projectListings(
  transaction: Queryable,
  stored: ReadonlyMap<string, TransactionRow>,
  touched: readonly TransactionRow[],
): Promise<void> {
  const moved = touched.filter((row) => !isListedAs(stored.get(row.stream), row));
  if (moved.length > 0) await transaction.query(write, [recordset(moved, listed)]);
}

function isListedAs(before: TransactionRow | undefined, row: TransactionRow): boolean {
  return (
    before?.status === row.status &&
    before.completed_at === row.completed_at &&
    before.paid_at === row.paid_at &&
    before.posted_at === row.posted_at
  );
}

const leaveDays = {
  name: 'paid-days-left-insert',
  text: `
  insert into paid_days_left (position, day, merchant_id, mode)
  select n.position, (earlier::timestamptz at time zone m.timezone)::date, n.merchant_id, n.mode
  from json_populate_recordset(null::transactions, $1) n
  join merchants m using (merchant_id)
  cross join regexp_split_to_table(n.paid_before, ',') earlier
  on conflict do nothing`,
};

/** Records the former days of payment of items that now have another one. */
export async function projectPaidDaysLeft(
  transaction: Queryable,
  stored: ReadonlyMap<string, TransactionRow>,
  touched: ReadonlyMap<string, TransactionRow>,
): Promise<void> {
  const moved = [...touched.values()].filter(
    ({ stream, paid_before: before }) =>
      before !== null && before !== stored.get(stream)?.paid_before,
  );
  const columns = ['position', 'merchant_id', 'mode', 'paid_before'] as const;
  if (moved.length > 0) await transaction.query(leaveDays, [recordset(moved, columns)]);
}

/** The rail's references and receipts in a batch. They come from the events, so they do not depend on the batches' bounds. */
export interface Identifiers {
  readonly references: readonly object[];
  readonly receipts: readonly object[];
}

const insertReferences = {
  name: 'rail-references-insert',
  text: `
  insert into rail_references select * from json_populate_recordset(null::rail_references, $1)
  on conflict do nothing`,
};

const insertReceipts = {
  name: 'receipts-insert',
  text: `
  insert into receipts select * from json_populate_recordset(null::receipts, $1)
  on conflict do nothing`,
};

/**
 * The collections and payouts that have the rail's references and receipts in the batch, each once.
 * @param stored the items before the batch, if they existed
 * @param rows the transactions that the batch touched
 */
export function identifiersIn(
  events: readonly RecordedEvent<ItemEvent>[],
  stored: ReadonlyMap<string, TransactionRow>,
  rows: ReadonlyMap<string, TransactionRow>,
): Identifiers {
  const references: object[] = [];
  const receipts: object[] = [];
  const noted = new Map<string, string | null | undefined>();
  for (const event of events) {
    const { stream } = event;
    const { mode, position } = rows.get(stream) ?? {};
    const rail_reference = railReferenceOf(event);
    if (rail_reference !== undefined && rail_reference !== stored.get(stream)?.rail_reference)
      references.push({ mode, position, rail_reference });
    const receipt = receiptOf(event);
    if (receipt === undefined) continue;
    const before = noted.has(stream) ? noted.get(stream) : stored.get(stream)?.receipt;
    if (receipt !== before) receipts.push({ mode, position, receipt });
    noted.set(stream, receipt);
  }
  return { references, receipts };
}

async function projectIdentifiers(
  transaction: Queryable,
  { references, receipts }: Identifiers,
): Promise<void> {
  if (references.length > 0) await transaction.query(insertReferences, [recordset(references)]);
  if (receipts.length > 0) await transaction.query(insertReceipts, [recordset(receipts)]);
}

function railReferenceOf(event: RecordedEvent<ItemEvent>): string | undefined {
  if (event.type === 'RailPushAccepted') return event.data.railReference;
  return event.type === 'RailPayoutAccepted' ? event.data.conversationId : undefined;
}

function receiptOf({ data }: RecordedEvent<ItemEvent>): string | undefined {
  return 'receipt' in data ? data.receipt : undefined;
}

const byRailReference = {
  name: 'transactions-by-rail-reference',
  text: `
  select t.stream from rail_references r join transactions t using (position)
  where r.mode = $1 and r.rail_reference = $2 and ($3::text is null or t.channel = $3)`,
};

/** A rail's reference; without a channel, of any rail. */
interface Bearing {
  readonly channel?: string;
  readonly mode: Mode;
  readonly railReference: string;
}

/**
 * The streams of the collections with a rail's reference: at most one, as long as the rail gives each push its own.
 * @throws DependencyUnavailable if an event of the mode is quarantined, which may have it
 */
export async function findStreamsByRailReference(
  database: Queryable,
  payment: Bearing,
): Promise<string[]> {
  await requireNoQuarantine(database, payment.mode);
  return knownStreamsByRailReference(database, payment);
}

/** Those of them that the view contains; quarantined ones may be missing. */
export async function knownStreamsByRailReference(
  database: Queryable,
  { channel, mode, railReference }: Bearing,
): Promise<string[]> {
  const values = [mode, railReference, channel ?? null];
  const rows = await database.query<{ stream: string }>(byRailReference, values);
  return rows.map(({ stream }) => stream);
}

export const byAccountReference = {
  name: 'transactions-by-account-reference',
  text: `
  select stream from transactions
  where account_reference = $3 and channel <> 'mpesa' and channel = $2 and mode = $1`,
};

/**
 * The streams of the collections, known to the view, that a rail has under our own reference. M-Pesa has none: it names a
 * push by an id of its own, so the index leaves its collections out.
 */
export async function knownStreamsByAccountReference(
  database: Queryable,
  { channel, mode, reference }: Readonly<Record<'channel' | 'reference', string>> & { mode: Mode },
): Promise<string[]> {
  const values = [mode, channel, reference];
  const rows = await database.query<{ stream: string }>(byAccountReference, values);
  return rows.map(({ stream }) => stream);
}

export const byReceipt = {
  name: 'transactions-by-receipt',
  text: `
  select t.stream from receipts r join transactions t using (position)
  where r.mode = $1 and r.receipt = $2
  union all
  select stream from corrections
  where mode = $1 and receipt = $2 and receipt is not null and posted_at is not null
  union all
  select stream from bank_settlements where mode = $1 and receipt = $2`,
};

/**
 * The streams of the collections, posted corrections and movements to the bank with a receipt of the rail.
 * @throws DependencyUnavailable if an event of the mode is quarantined, which may have it
 */
export async function findStreamsByReceipt(
  database: Queryable,
  mode: Mode,
  receipt: string,
): Promise<string[]> {
  await requireNoQuarantine(database, mode);
  const rows = await database.query<{ stream: string }>(byReceipt, [mode, receipt]);
  return rows.map(({ stream }) => stream);
}

const selectByStream = {
  name: 'transactions-by-stream',
  text: `select * from transactions where stream = any($1)`,
};

const insert = {
  name: 'transactions-insert',
  text: `
  insert into transactions (${transactionColumns.join(', ')}, created_on)
  select ${transactionColumns.map((column) => `n.${column}`).join(', ')},
    (n.created_at at time zone m.timezone)::date
  from json_populate_recordset(null::transactions, $1) n
  join merchants m using (merchant_id)`,
};

// Only columns without an index, so that the new version stays in its page (docs/adr/0026).
const changing = transactionColumns.filter((column) => hasTrait(column, 'changes'));
const update = {
  name: 'transactions-update',
  text: `
  update transactions t set ${changing.map((column) => `${column} = n.${column}`).join(', ')}
  from json_populate_recordset(null::transactions, $1) n
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

/** Updates the columns of stored rows that an event may change. */
export async function updateTransactions(
  transaction: Queryable,
  changed: readonly TransactionRow[],
): Promise<void> {
  if (changed.length > 0)
    await transaction.query(update, [recordset(changed, ['position', ...changing])]);
}

/**
 * @param onFolded called with each event and the row after it
 * @returns the rows that the events touch, by stream
 */
export function foldedItems(
  events: readonly RecordedEvent<ItemEvent>[],
  stored: ReadonlyMap<string, TransactionRow>,
  onFolded: (event: RecordedEvent<ItemEvent>, row: TransactionRow) => void,
): ReadonlyMap<string, TransactionRow> {
  const touched = new Map<string, TransactionRow>();
  for (const event of events) {
    const row = projectTransaction(touched.get(event.stream) ?? stored.get(event.stream), event);
    touched.set(event.stream, row);
    onFolded(event, row);
  }
  return touched;
}

/**
 * Folds a batch's events into their rows: existing ones are read once, changed in memory, and written once.
 * @param stored the rows of collections that did not begin in this batch
 * @param onFolded called with each event and the row after it
 * @returns the rows that the batch touched, by stream
 */
export async function projectTransactions(
  transaction: Queryable,
  events: readonly RecordedEvent<ItemEvent>[],
  stored: ReadonlyMap<string, TransactionRow>,
  onFolded: (event: RecordedEvent<ItemEvent>, row: TransactionRow) => void,
): Promise<ReadonlyMap<string, TransactionRow>> {
  const touched = foldedItems(events, stored, onFolded);
  const added = [...touched.values()].filter(({ stream }) => !stored.has(stream));
  const changed = [...touched.values()].filter(({ stream }) => stored.has(stream));
  if (added.length > 0) {
    await transaction.query(insert, [recordset(added)]);
    await transaction.query(widenDays, [added.map(({ position }) => position)]);
  }
  await updateTransactions(transaction, changed);
  await projectListings(transaction, stored, [...touched.values()]);
  await projectPaidDaysLeft(transaction, stored, touched);
  await projectIdentifiers(transaction, identifiersIn(events, stored, touched));
  return touched;
}

/**
 * The rows of collections that did not begin in this batch.
 * @param remembered rows that need not be read
 */
export async function storedRows(
  transaction: Queryable,
  events: readonly RecordedEvent<ItemEvent>[],
  remembered?: Remembered<TransactionRow>,
): Promise<ReadonlyMap<string, TransactionRow>> {
  const begun = new Set<string>();
  const [found, unknown] = [new Map<string, TransactionRow>(), new Set<string>()];
  for (const event of events) {
    const { stream } = event;
    if (beginsItem(event)) begun.add(stream);
    if (begun.has(stream) || found.has(stream) || unknown.has(stream)) continue;
    const row = remembered?.get(stream);
    if (row) found.set(stream, row);
    else unknown.add(stream);
  }
  if (unknown.size === 0) return found;
  const rows = await transaction.query<StoredTransaction>(selectByStream, [[...unknown]]);
  for (const row of rows) found.set(row.stream, rowFromDatabase(row));
  return found;
}
