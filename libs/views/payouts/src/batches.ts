import { type RecordedEvent } from '#domain/event-sourcing';
import { assertNever, type Instant } from '#domain/kernel';
import { type PayoutBatchEvent, payoutBatchStream, type PayoutEvent } from '#domain/payouts';
import { type Queryable } from '#infra/postgres';
import { type TransactionRow } from '#views/transactions';
import { recordset } from '#views/view-set';

const insert = {
  name: 'payout-batches-insert',
  text: `
  insert into payout_batches (stream, mode, items, step, since)
  select stream, mode, items, step, since from json_populate_recordset(null::payout_batches, $1)`,
};
const update = {
  name: 'payout-batches-update',
  text: `
  update payout_batches b set step = coalesce(n.step, b.step), since = coalesce(n.since, b.since),
    recorded = b.recorded + n.recorded, reserved = b.reserved + n.reserved,
    approved = b.approved + n.approved, rejected = b.rejected + n.rejected
  from json_populate_recordset(null::payout_batches, $1) n
  where b.stream = n.stream`,
};

/** What becomes of a batch's row. */
interface Change {
  step: 'approved' | 'rejected' | null;
  since: Instant | null;
  recorded: number;
  reserved: number;
  approved: number;
  rejected: number;
}

/**
 * Keeps how far each batch's payouts have come.
 * @param items `rows`: the transactions that the projector's batch touched
 */
export async function projectPayoutBatches(
  transaction: Queryable,
  events: readonly RecordedEvent<PayoutBatchEvent>[],
  items: {
    readonly ofPayouts: readonly RecordedEvent<PayoutEvent>[];
    readonly rows: ReadonlyMap<string, TransactionRow>;
  },
): Promise<void> {
  const added: object[] = [];
  const changes = new Map<string, Change>();
  const changeOf = (stream: string): Change => {
    const known = changes.get(stream);
    if (known) return known;
    const none = { step: null, since: null, recorded: 0, reserved: 0, approved: 0, rejected: 0 };
    changes.set(stream, none);
    return none;
  };
  for (const event of events) {
    const { stream, recordedAt: since } = event;
    if (event.type === 'PayoutBatchRequested') {
      const { mode, count } = event.data;
      added.push({ stream, mode, items: count, step: 'requested', since });
    } else {
      const step = event.type === 'PayoutBatchApproved' ? 'approved' : 'rejected';
      Object.assign(changeOf(stream), { step, since });
    }
  }
  for (const { type, stream } of items.ofPayouts) {
    const counted = countedAs(type);
    const row = counted && items.rows.get(stream);
    if (!row || row.batch_reference === null) continue;
    const { merchant_id: merchantId, mode, batch_reference: reference } = row;
    changeOf(payoutBatchStream({ merchantId, mode, reference }))[counted] += 1;
  }
  if (added.length > 0) await transaction.query(insert, [recordset(added)]);
  const changed = [...changes].map(([stream, change]) => ({ stream, ...change }));
  if (changed.length > 0) await transaction.query(update, [recordset(changed)]);
}

/** Which of a batch's counts the event of a payout adds to. */
export function countedAs(
  type: PayoutEvent['type'],
): 'recorded' | 'reserved' | 'approved' | 'rejected' | undefined {
  switch (type) {
    case 'PayoutRequested':
      return 'recorded';
    case 'PayoutReserved':
      return 'reserved';
    case 'PayoutApproved':
      return 'approved';
    case 'PayoutRejected':
      return 'rejected';
    case 'PayoutWaitingForFloat':
    case 'RailPayoutStarted':
    case 'RailPayoutAccepted':
    case 'RailConfirmed':
    case 'RailReceiptRecorded':
    case 'RailDeclined':
    case 'WalletPosted':
    case 'ReviewFlagged':
    case 'ReviewDecided':
      return undefined;
    default:
      return assertNever(type);
  }
}
