import { type RecordedEvent } from '#domain/event-sourcing';
import {
  channelOf,
  type ReconciliationEvent,
  type ReconciliationRecorded,
} from '#domain/reconciliation';
import { type Queryable } from '#infra/postgres';
import { recordset } from '#views/view-set';

const insert = {
  name: 'reconciliations-insert',
  text: `
  insert into reconciliations select * from json_populate_recordset(null::reconciliations, $1)`,
};

/** Stores each reconciliation for the list. Its open lines are in the event, and notes about them in the view of acts. */
export async function projectReconciliations(
  transaction: Queryable,
  events: readonly RecordedEvent<ReconciliationEvent>[],
): Promise<void> {
  const rows = events
    .filter(isReconciliation)
    .map(({ id, data, metadata, recordedAt, revision, position }) => ({
      id,
      merchant_id: data.merchantId,
      mode: data.mode,
      account_no: data.accountNo,
      currency: data.currency,
      date: data.date,
      recorded_at: recordedAt,
      operator: metadata.actor.id,
      file_sha256: data.fileSha256,
      ledger_position: data.position,
      matched: data.tallies.find(({ finding }) => finding === 'matched')?.count ?? 0,
      open: data.open,
      other_day: data.otherDay,
      other_day_streams: data.otherDayStreams ?? [],
      made_by: data.by ?? null,
      channel: channelOf(data),
      revision,
      position,
    }));
  if (rows.length > 0) await transaction.query(insert, [recordset(rows)]);
}

function isReconciliation(
  event: RecordedEvent<ReconciliationEvent>,
): event is RecordedEvent<ReconciliationRecorded> {
  return event.type === 'ReconciliationRecorded';
}
