import { type RecordedEvent } from '#domain/event-sourcing';
import { type CollectionEvent } from '#domain/collections';
import { type Mode } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { recordset, requireNothingHeldBack } from '#views/view-set';
import { type TransactionRow } from './fields.js';

const insertReferences = {
  name: 'rail-references-insert',
  text: `
  insert into rail_references select * from jsonb_populate_recordset(null::rail_references, $1)
  on conflict do nothing`,
};

const insertReceipts = {
  name: 'receipts-insert',
  text: `
  insert into receipts select * from jsonb_populate_recordset(null::receipts, $1)
  on conflict do nothing`,
};

/**
 * Notes which collections bear the rail's references and receipts that the batch names. Taken from the events, not
 * from the rows, so that it is the same whatever the batches were.
 * @param rows the transactions that the batch touched
 */
export async function projectIdentifiers(
  transaction: Queryable,
  events: readonly RecordedEvent<CollectionEvent>[],
  rows: ReadonlyMap<string, TransactionRow>,
): Promise<void> {
  const references: object[] = [];
  const receipts: object[] = [];
  for (const event of events) {
    const { mode, position } = rows.get(event.stream) ?? {};
    if (event.type === 'RailPushAccepted')
      references.push({ mode, position, rail_reference: event.data.railReference });
    const receipt = receiptOf(event);
    if (receipt !== undefined) receipts.push({ mode, position, receipt });
  }
  if (references.length > 0) await transaction.query(insertReferences, [recordset(references)]);
  if (receipts.length > 0) await transaction.query(insertReceipts, [recordset(receipts)]);
}

function receiptOf({ data }: RecordedEvent<CollectionEvent>): string | undefined {
  return 'receipt' in data ? data.receipt : undefined;
}

const byRailReference = {
  name: 'transactions-by-rail-reference',
  text: `
  select t.stream from rail_references r join transactions t using (position)
  where r.mode = $1 and r.rail_reference = $2 and ($3::text is null or t.channel = $3)`,
};

/**
 * The streams of the collections that bear a rail's reference: one at most, as long as the rail gives each push its own.
 * @param payment without a channel, every rail's
 * @throws DependencyUnavailable where something of the mode is held back, which may bear it
 */
export async function findStreamsByRailReference(
  database: Queryable,
  payment: { readonly channel?: string; readonly mode: Mode; readonly railReference: string },
): Promise<string[]> {
  const { channel = null, mode, railReference } = payment;
  await requireNothingHeldBack(database, mode);
  const values = [mode, railReference, channel];
  const rows = await database.query<{ stream: string }>(byRailReference, values);
  return rows.map(({ stream }) => stream);
}

const byReceipt = {
  name: 'transactions-by-receipt',
  text: `
  select t.stream from receipts r join transactions t using (position)
  where r.mode = $1 and r.receipt = $2
  union all
  select stream from corrections
  where mode = $1 and receipt = $2 and receipt is not null and posted_at is not null`,
};

/**
 * The streams of the collections and posted corrections that bear a receipt of the rail.
 * @throws DependencyUnavailable where something of the mode is held back, which may bear it
 */
export async function findStreamsByReceipt(
  database: Queryable,
  mode: Mode,
  receipt: string,
): Promise<string[]> {
  await requireNothingHeldBack(database, mode);
  const rows = await database.query<{ stream: string }>(byReceipt, [mode, receipt]);
  return rows.map(({ stream }) => stream);
}
