import { type RecordedEvent } from '#event-sourcing';
import { type CollectionEvent } from '#collections';
import { type Queryable } from '#postgres';
import { type TransactionRow } from '../transactions/item.js';
import { recordset } from '../view-set/recordset.js';
import { entriesOf, type LedgerEntry } from './entries.js';

const insert = {
  name: 'ledger-entries-insert',
  text: `insert into ledger_entries select * from jsonb_populate_recordset(null::ledger_entries, $1)`,
};

/**
 * Writes down every leg of the batch.
 * @param rows the transactions that the batch touched: they say in which mode and currency a leg stands
 */
export async function projectLedgerEntries(
  transaction: Queryable,
  events: readonly RecordedEvent<CollectionEvent>[],
  rows: ReadonlyMap<string, TransactionRow>,
): Promise<readonly LedgerEntry[]> {
  const entries = events.flatMap((event) => entriesOf(event, rows.get(event.stream)));
  if (entries.length > 0) await transaction.query(insert, [recordset(entries)]);
  return entries;
}
