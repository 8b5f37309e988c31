import { assertNever, type Instant } from '#domain/kernel';
import { type RecordedEvent } from '#domain/event-sourcing';
import {
  type CollectionEvent,
  type CollectionIntentRecorded,
  type RefundReserved,
} from '#domain/collections';
import { feeOf, isReturned } from '#domain/ledger';
import { type PayoutEvent, type PayoutRequested } from '#domain/payouts';
import { itemOf, paidInstant, type TransactionItem, type TransactionRow } from './fields.js';

/** The failure code of money in suspense that was returned. */
export const refundedCode = 'refunded';

/** An event of an item in the list. */
export type ItemEvent = CollectionEvent | PayoutEvent;

/** True if the event begins an item. */
export function beginsItem({ type }: ItemEvent): boolean {
  return type === 'CollectionIntentRecorded' || type === 'PayoutRequested';
}

/** Returns the row of a collection or payout after an event. */
export function projectTransaction(
  row: TransactionRow | undefined,
  event: RecordedEvent<ItemEvent>,
): TransactionRow {
  const folded = projectFacts(row, event);
  const changed =
    folded.receipt === (row?.receipt ?? null)
      ? folded
      : { ...folded, receipt_position: event.position };
  const before = row && paidInstant(row);
  if (!before || before === paidInstant(changed)) return changed;
  const { paid_before: earlier } = changed;
  return { ...changed, paid_before: earlier === null ? before : `${earlier},${before}` };
}

function projectFacts(
  row: TransactionRow | undefined,
  event: RecordedEvent<ItemEvent>,
): TransactionRow {
  if (event.type === 'CollectionIntentRecorded') return rowOfCollection(event);
  if (event.type === 'PayoutRequested') return rowOfPayout(event);
  if (!row) throw new TypeError(`${event.type} at ${event.position} has nothing before it`);
  switch (event.type) {
    case 'PayoutReserved':
      return row;
    case 'PayoutApproved':
    case 'PayoutRejected':
    case 'PayoutApprovalExpired':
    case 'PayoutWaitingForFloat':
    case 'RailPayoutStarted':
    case 'RailPayoutAccepted':
      return projectPayoutFact(row, event);
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
    case 'AmountMismatchRecorded':
    case 'RailConfirmed':
    case 'RailReceiptRecorded':
      return { ...row, ...paymentIn(row, event.data) };
    case 'WalletPosted':
      return {
        ...row,
        ...completedBy(event),
        amount_minor: event.data.amountMinor,
        fee_minor: event.data.feeMinor,
        failure_code: null,
        posted_at: event.recordedAt,
      };
    case 'SuspensePosted':
      return {
        ...row,
        ...paymentIn(row, event.data),
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
            ...completedBy(event),
            amount_minor: event.data.amountMinor,
            fee_minor: feeOf(event.data.legs),
          };
    case 'ReviewFlagged':
    case 'ReviewDecided':
      return { ...row, under_review: event.type === 'ReviewFlagged' };
    case 'RefundReserved':
    case 'RefundReleased':
    case 'RefundPaid':
      return { ...row, ...refundsAfter(event.data) };
    default:
      return assertNever(event);
  }
}

/** The rail's data about the payment, as far as an event brings them. */
function paymentIn(
  row: TransactionRow,
  { receipt, paidAt }: { readonly receipt?: string; readonly paidAt?: Instant },
) {
  return { receipt: receipt ?? row.receipt, paid_at: paidAt ?? row.paid_at };
}

function refundsAfter({ openMinor, refundedMinor }: RefundReserved['data']) {
  return { refunding_minor: openMinor, refunded_minor: refundedMinor };
}

function completedBy({ recordedAt, position }: RecordedEvent) {
  return {
    status: 'completed',
    under_review: false,
    completed_at: recordedAt,
    completed_position: position,
  } as const;
}

type PayoutFact = Extract<
  RecordedEvent<PayoutEvent>,
  {
    readonly type:
      | 'PayoutApproved'
      | 'PayoutRejected'
      | 'PayoutApprovalExpired'
      | 'PayoutWaitingForFloat'
      | 'RailPayoutStarted'
      | 'RailPayoutAccepted';
  }
>;

function projectPayoutFact(
  row: TransactionRow,
  { type, data, recordedAt }: PayoutFact,
): TransactionRow {
  switch (type) {
    case 'RailPayoutStarted':
      // The reason why it was not sent is gone, and so is its review.
      return { ...row, under_review: false, started_at: recordedAt };
    case 'PayoutApproved':
      return { ...row, status: 'pending' };
    case 'PayoutRejected':
      return { ...row, status: 'rejected', failure_code: data.reason, under_review: false };
    case 'PayoutApprovalExpired':
      return { ...row, status: 'pending_approval', waiting_since: null, under_review: false };
    case 'PayoutWaitingForFloat':
      return { ...row, waiting_since: data.since };
    case 'RailPayoutAccepted':
      return { ...row, rail_reference: data.conversationId };
    default:
      return assertNever(type);
  }
}

function rowOfCollection(event: RecordedEvent<CollectionIntentRecorded>): TransactionRow {
  return {
    ...firstRow(event),
    type: 'collection',
    status: 'pending',
    phone_hmac: event.data.phoneHmac ?? null,
    callback_url: event.data.callbackUrl ?? null,
    account_reference: event.data.accountReference ?? null,
    came_by: event.data.origin,
  };
}

function rowOfPayout(event: RecordedEvent<PayoutRequested>): TransactionRow {
  return {
    ...firstRow(event),
    type: 'payout',
    status: 'pending_approval',
    phone_hmac: event.data.phoneHmac ?? null,
    callback_url: null,
    account_reference: null,
    came_by: null,
    batch_reference: event.data.batch ?? null,
    refund_reference: event.data.refund?.reference ?? null,
    reverses_receipt: event.data.refund?.reverses ?? null,
  };
}

function firstRow({
  data,
  id,
  position,
  stream,
  recordedAt,
}: RecordedEvent<CollectionIntentRecorded | PayoutRequested>) {
  return {
    position,
    stream,
    merchant_id: data.merchantId,
    mode: data.mode,
    reference: data.reference,
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
    completed_position: null,
    receipt_position: null,
    paid_before: null,
    paid_at: null,
    posted_at: null,
    batch_reference: null,
    refund_reference: null,
    reverses_receipt: null,
    refunded_minor: 0n,
    refunding_minor: 0n,
    waiting_since: null,
    started_at: null,
    phone_masked: data.phoneMasked ?? null,
    requested_minor: data.amountMinor,
  };
}

/** The item folded from its own stream, so never behind; undefined if no such collection or payout exists. */
export function transactionFrom(
  events: readonly RecordedEvent<ItemEvent>[],
): TransactionItem | undefined {
  let row: TransactionRow | undefined;
  for (const event of events) row = projectTransaction(row, event);
  return row && itemOf(row);
}
