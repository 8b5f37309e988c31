import { type RecordedEvent } from '#domain/event-sourcing';
import { assertNever, type Instant, instantFromMs, type Minor, type Mode } from '#domain/kernel';
import {
  type PayoutBatchEvent,
  payoutBatchStream,
  type PayoutEvent,
  type PayoutStatus,
} from '#domain/payouts';
import { type Queryable } from '#infra/postgres';
import { type TransactionRow } from '#views/transactions';
import {
  ownServability,
  type OwnServability,
  type ReadBound,
  recordset,
  requireOwnServable,
} from '#views/view-set';

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
    case 'RailDeclined':
    case 'WalletPosted':
    case 'ReviewFlagged':
    case 'ReviewDecided':
      return undefined;
    default:
      return assertNever(type);
  }
}

const selectToSettle = {
  name: 'payout-batches-to-settle',
  text: `
  select stream from payout_batches
  where behind and since <= records.now_() - $1 * interval '1 millisecond'
  order by since limit $2`,
};

/** The streams of batches that their payouts have not followed for so long. Oldest first. */
export async function payoutBatchesToSettle(
  database: Queryable,
  { olderThanMs, limit }: { readonly olderThanMs: number; readonly limit: number },
): Promise<string[]> {
  const rows = await database.query<{ stream: string }>(selectToSettle, [olderThanMs, limit]);
  return rows.map(({ stream }) => stream);
}

/** What a batch's payouts come to, by their status. */
export interface PayoutBatchSums {
  readonly byStatus: ReadonlyMap<
    PayoutStatus,
    { readonly count: number; readonly amountMinor: Minor }
  >;
  /** The position of the log that the sums reflect, and since when it was all of the log. */
  readonly position: bigint;
  readonly asOf: Instant;
}

type SumRow = OwnServability & {
  readonly ledger_position: bigint;
  readonly fresh_at: Date;
  readonly status: PayoutStatus | null;
  readonly count: number;
  readonly amount_minor: Minor;
};

const selectSums = {
  name: 'payout-batch-sums',
  text: `
  select c.position as ledger_position, ${ownServability({ merchant: '$1', mode: '$2' })},
    t.status, t.count, t.amount_minor
  from checkpoint c
  left join lateral (
    select status, count(*)::integer as count, sum(amount_minor)::bigint as amount_minor
    from transactions
    where merchant_id = $1 and mode = $2 and batch_reference = $3
    group by status
  ) t on true`,
};

/** @throws DependencyUnavailable where the views are being built or too old */
export async function payoutBatchSums(
  database: Queryable,
  batch: { readonly merchantId: string; readonly mode: Mode; readonly reference: string },
  bound: ReadBound,
): Promise<PayoutBatchSums> {
  const { merchantId, mode, reference } = batch;
  const rows = await database.query<SumRow>(selectSums, [merchantId, mode, reference]);
  const { ledger_position: position, fresh_at } = requireOwnServable(rows[0], bound);
  const found = rows.flatMap(({ status, count, amount_minor: amountMinor }) =>
    status === null ? [] : [[status, { count, amountMinor }] as const],
  );
  return { byStatus: new Map(found), position, asOf: instantFromMs(fresh_at.getTime()) };
}
