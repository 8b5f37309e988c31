import { type RecordedEvent } from '#domain/event-sourcing';
import { automaticApprover, payoutBatchStream, type PayoutEvent } from '#domain/payouts';
import { type Queryable } from '#infra/postgres';
import { type TransactionRow } from '#views/transactions';
import { recordset } from '#views/view-set';

const upsert = {
  name: 'payout-approvals-upsert',
  text: `
  insert into payout_approvals as a
  select * from json_populate_recordset(null::payout_approvals, $1)
  on conflict (stream) do update set
    is_automatic = excluded.is_automatic, approved_at = excluded.approved_at`,
};
const remove = {
  name: 'payout-approvals-remove',
  text: `delete from payout_approvals where stream = any($1)`,
};

/** Stores the approvals that count towards a day: from PayoutApproved until it is proven that nothing was sent (PAY-50). */
export async function projectPayoutApprovals(
  transaction: Queryable,
  events: readonly RecordedEvent<PayoutEvent>[],
  rows: ReadonlyMap<string, TransactionRow>,
): Promise<void> {
  const changed = new Map<string, object | undefined>();
  for (const event of events) {
    const { stream, recordedAt } = event;
    const row = rows.get(stream);
    if (event.type === 'PayoutApproved' && row)
      changed.set(stream, approvalOf(row, event.data.holder === automaticApprover, recordedAt));
    else if (endsApproval(event)) changed.set(stream, undefined);
  }
  const kept = [...changed.values()].filter((row) => row !== undefined);
  const over = [...changed].flatMap(([stream, row]) => (row ? [] : [stream]));
  if (kept.length > 0) await transaction.query(upsert, [recordset(kept)]);
  if (over.length > 0) await transaction.query(remove, [over]);
}

/** True if nothing was sent for the payout, and that approval will send nothing. */
function endsApproval({ type }: PayoutEvent): boolean {
  return type === 'PayoutRejected' || type === 'PayoutApprovalExpired';
}

function approvalOf(row: TransactionRow, isAutomatic: boolean, approvedAt: string): object {
  const { stream, merchant_id, mode, requested_minor, batch_reference: reference } = row;
  return {
    stream,
    merchant_id,
    mode,
    amount_minor: requested_minor,
    batch_stream:
      reference === null ? null : payoutBatchStream({ merchantId: merchant_id, mode, reference }),
    is_automatic: isAutomatic,
    approved_at: approvedAt,
  };
}
