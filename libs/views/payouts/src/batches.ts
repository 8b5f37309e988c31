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
  update payout_batches b set
    step = case when b.step = 'approved' and n.step = 'rejected' then 'cancelled'
      else coalesce(n.step, b.step) end,
    since = coalesce(n.since, b.since),
    recorded = b.recorded + n.recorded, reserved = b.reserved + n.reserved,
    approved = b.approved + n.approved, started = b.started + n.started,
    rejected = b.rejected + n.rejected
  from json_populate_recordset(null::payout_batches, $1) n
  where b.stream = n.stream`,
};

/** The progress of a batch's payouts. */
export const batchCounts = ['recorded', 'reserved', 'approved', 'started', 'rejected'] as const;
type Counted = (typeof batchCounts)[number];
export const noneCounted = { recorded: 0, reserved: 0, approved: 0, started: 0, rejected: 0 };

/** The step of the batch's own stream, after its first event. */
export type BatchStep = 'approved' | 'cancelled' | 'rejected';

/** A cancellation before the approval rejects the whole batch. After it, payouts that were started continue. */
export function batchStepAfter(
  { type }: Pick<PayoutBatchEvent, 'type'>,
  before: string | null | undefined,
): BatchStep {
  if (type === 'PayoutBatchApproved') return 'approved';
  return before === 'approved' ? 'cancelled' : 'rejected';
}

/** Changes to a batch's row. */
interface Change extends Record<Counted, number> {
  step: BatchStep | null;
  since: Instant | null;
}

/**
 * Stores the progress of each batch's payouts.
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
    const none = { step: null, since: null, ...noneCounted };
    changes.set(stream, none);
    return none;
  };
  for (const event of events) {
    const { stream, recordedAt: since } = event;
    if (event.type === 'PayoutBatchRequested') {
      const { mode, count } = event.data;
      added.push({ stream, mode, items: count, step: 'requested', since });
    } else {
      const change = changeOf(stream);
      Object.assign(change, { step: batchStepAfter(event, change.step), since });
    }
  }
  for (const event of items.ofPayouts) {
    const counted = countedAs(event);
    const row = counted && items.rows.get(event.stream);
    if (!row || row.batch_reference === null) continue;
    const { merchant_id: merchantId, mode, batch_reference: reference } = row;
    changeOf(payoutBatchStream({ merchantId, mode, reference }))[counted] += 1;
  }
  if (added.length > 0) await transaction.query(insert, [recordset(added)]);
  const changed = [...changes].map(([stream, change]) => ({ stream, ...change }));
  if (changed.length > 0) await transaction.query(update, [recordset(changed)]);
}

/** Returns the count of the batch that a payout's event adds to. */
export function countedAs({ type, metadata }: RecordedEvent<PayoutEvent>): Counted | undefined {
  switch (type) {
    case 'PayoutRequested':
      return 'recorded';
    case 'PayoutReserved':
      return 'reserved';
    case 'PayoutApproved':
      // The batch's approval is the cause. A new approval, after that one expired, has no cause.
      return metadata.causationId === undefined ? undefined : 'approved';
    case 'RailPayoutStarted':
      return 'started';
    case 'PayoutRejected':
      return 'rejected';
    case 'PayoutApprovalExpired':
    case 'PayoutWaitingForFloat':
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
