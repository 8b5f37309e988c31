import { type RecordedEvent } from '#domain/event-sourcing';
import { type BankSettlementPosted } from '#domain/settlements';
import { type Queryable } from '#infra/postgres';
import { recordset } from '#views/view-set';

const insert = {
  name: 'bank-settlements-insert',
  text: `
  insert into bank_settlements select * from json_populate_recordset(null::bank_settlements, $1)`,
};

/** Stores each movement to the bank. Its legs are in the ledger's entries. */
export async function projectSettlements(
  transaction: Queryable,
  events: readonly RecordedEvent<BankSettlementPosted>[],
): Promise<void> {
  const rows = events.map(({ stream, data, recordedAt, position }) => ({
    stream,
    channel: data.channel,
    mode: data.mode,
    currency: data.currency,
    receipt: data.receipt,
    amount_minor: data.amountMinor,
    paid_at: data.paidAt ?? null,
    told_by: data.by,
    recorded_at: recordedAt,
    position,
  }));
  if (rows.length > 0) await transaction.query(insert, [recordset(rows)]);
}
