import { type Instant, type Mode } from '#kernel';
import { type RecordedEvent } from '#event-sourcing';
import { type CollectionEvent } from '#collections';
import { type Queryable } from '#postgres';
import { type TransactionRow } from '../transactions/item.js';
import { recordset } from '../view-set/recordset.js';

/** One leg of one event, as the ledger keeps it. */
export interface LedgerEntry {
  readonly position: bigint;
  readonly leg: number;
  readonly event_id: string;
  readonly stream: string;
  readonly mode: Mode;
  readonly currency: string;
  readonly account: string;
  readonly amount_minor: bigint;
  readonly recorded_at: Instant;
}

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

function entriesOf(
  event: RecordedEvent<CollectionEvent>,
  row: TransactionRow | undefined,
): LedgerEntry[] {
  if (!('legs' in event.data) || !row) return [];
  return event.data.legs.map(({ account, amountMinor }, leg) => ({
    position: event.position,
    leg,
    event_id: event.id,
    stream: event.stream,
    mode: row.mode,
    currency: row.currency,
    account,
    amount_minor: amountMinor,
    recorded_at: event.recordedAt,
  }));
}
