import { type Instant, type Mode, assertNever } from '#domain/kernel';
import { type RecordedEvent } from '#domain/event-sourcing';
import { type CollectionEvent, type CollectionIntentRecorded } from '#domain/collections';
import { feeOf, isReturned } from '#domain/ledger';

/** One entry of the V4 transaction list, with names and order as on the wire (LIST-10). Amounts in minor units. */
export interface TransactionItem {
  readonly type: 'collection' | 'payout';
  readonly reference: string;
  readonly status: 'pending' | 'completed' | 'failed' | 'pending_approval' | 'rejected';
  readonly amount_minor: bigint;
  readonly currency: string;
  readonly fee_minor: bigint;
  /** UUID of the item's first event. */
  readonly id: string;
  readonly account_no: string;
  readonly channel: string;
  readonly rail_reference: string | null;
  readonly receipt: string | null;
  readonly failure_code: string | null;
  readonly under_review: boolean;
  readonly created_at: Instant;
  readonly completed_at: Instant | null;
  readonly paid_at: Instant | null;
  /** False where the rail has not told when it was paid: the day of the posting stands in for that of `paid_at`. */
  readonly paid_at_known: boolean;
  /** Present where another amount was posted than was asked for. */
  readonly requested_minor?: bigint;
}

/** A row of the view: the item and where it belongs. */
export interface TransactionRow extends Omit<Required<TransactionItem>, 'paid_at_known'> {
  /** Position of the item's first event in the log. */
  readonly position: bigint;
  readonly stream: string;
  readonly merchant_id: string;
  readonly mode: Mode;
  /** When its money was first posted: to the wallet, or to suspense, where it waited for a decision. */
  readonly posted_at: Instant | null;
}

/** The failure code of money in suspense that went back. */
export const refundedCode = 'refunded';

/** How an event changes its collection's row. */
export function projectTransaction(
  row: TransactionRow | undefined,
  event: RecordedEvent<CollectionEvent>,
): TransactionRow {
  if (event.type === 'CollectionIntentRecorded') return firstRow(event);
  if (!row)
    throw new TypeError(`${event.type} at position ${event.position} has no intent before it`);
  switch (event.type) {
    case 'RailPushAccepted':
      return { ...row, rail_reference: event.data.railReference };
    case 'RailPushRejected':
    case 'RailDeclined':
      return {
        ...row,
        status: 'failed',
        failure_code: event.data.failureCode,
        under_review: false,
      };
    case 'RailConfirmed':
    case 'RailReceiptRecorded': {
      const { receipt = row.receipt, paidAt = row.paid_at } = event.data;
      return { ...row, receipt, paid_at: paidAt };
    }
    case 'WalletPosted':
      return {
        ...row,
        status: 'completed',
        amount_minor: event.data.amountMinor,
        fee_minor: event.data.feeMinor,
        failure_code: null,
        under_review: false,
        completed_at: event.recordedAt,
        posted_at: event.recordedAt,
      };
    case 'AmountMismatchRecorded':
      return { ...row, receipt: event.data.receipt ?? row.receipt };
    case 'SuspensePosted':
      return {
        ...row,
        status: 'pending',
        failure_code: null,
        under_review: true,
        posted_at: event.recordedAt,
      };
    case 'SuspenseResolved':
      return isReturned(event.data.legs)
        ? { ...row, status: 'failed', failure_code: refundedCode, under_review: false }
        : {
            ...row,
            status: 'completed',
            amount_minor: event.data.amountMinor,
            fee_minor: feeOf(event.data.legs),
            under_review: false,
            completed_at: event.recordedAt,
          };
    case 'ReviewFlagged':
      return { ...row, under_review: true };
    case 'ReviewDecided':
      return { ...row, under_review: false };
    default:
      return assertNever(event);
  }
}

function firstRow({
  data,
  id,
  position,
  stream,
  recordedAt,
}: RecordedEvent<CollectionIntentRecorded>): TransactionRow {
  return {
    position,
    stream,
    merchant_id: data.merchantId,
    mode: data.mode,
    type: 'collection',
    reference: data.reference,
    status: 'pending',
    amount_minor: data.amountMinor,
    currency: data.currency,
    fee_minor: data.feeMinor,
    id,
    account_no: data.accountNo,
    channel: data.channel,
    rail_reference: null,
    receipt: null,
    failure_code: null,
    under_review: false,
    created_at: recordedAt,
    completed_at: null,
    paid_at: null,
    posted_at: null,
    requested_minor: data.amountMinor,
  };
}

/** The item as the list shows it. */
export function itemOf(row: TransactionRow): TransactionItem {
  const {
    position: _position,
    stream: _stream,
    merchant_id: _merchant,
    mode: _mode,
    posted_at: _posted,
    requested_minor,
    ...told
  } = row;
  const item = { ...told, paid_at_known: row.paid_at !== null };
  return requested_minor === row.amount_minor ? item : { ...item, requested_minor };
}

/** The item folded from a collection's own stream, so never behind; undefined where there is no such collection. */
export function transactionFrom(
  events: readonly RecordedEvent<CollectionEvent>[],
): TransactionItem | undefined {
  let row: TransactionRow | undefined;
  for (const event of events) row = projectTransaction(row, event);
  return row && itemOf(row);
}
