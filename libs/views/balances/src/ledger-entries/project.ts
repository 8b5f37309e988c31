import { type RecordedEvent } from '#domain/event-sourcing';
import { type Queryable } from '#infra/postgres';
import { recordset } from '#views/view-set';
import { entriesOf, type LedgerEntry, type LegsPlace } from './entries.js';

const insert = {
  name: 'ledger-entries-insert',
  text: `insert into ledger_entries select * from jsonb_populate_recordset(null::ledger_entries, $1)`,
};

/**
 * Writes down every leg of the batch.
 * @param placeOf in which mode and currency the legs of an event stand
 */
export async function projectLedgerEntries(
  transaction: Queryable,
  events: readonly RecordedEvent[],
  placeOf: (event: RecordedEvent) => LegsPlace | undefined,
): Promise<readonly LedgerEntry[]> {
  const entries = events.flatMap((event) => entriesOf(event, placeOf(event)));
  if (entries.length > 0) await transaction.query(insert, [recordset(entries)]);
  return entries;
}
