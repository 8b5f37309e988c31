import { type Instant, instantFromMs } from '#domain/kernel';
import { type TransactionRow } from './item.js';

/** A row as the driver gives it: instants are Date. */
export type StoredTransaction = Omit<
  TransactionRow,
  'created_at' | 'completed_at' | 'paid_at' | 'posted_at'
> & {
  readonly created_at: Date;
  readonly completed_at: Date | null;
  readonly paid_at: Date | null;
  readonly posted_at: Date | null;
};

export function rowFromDatabase(stored: StoredTransaction): TransactionRow {
  return {
    position: stored.position,
    stream: stored.stream,
    merchant_id: stored.merchant_id,
    mode: stored.mode,
    type: stored.type,
    reference: stored.reference,
    status: stored.status,
    amount_minor: stored.amount_minor,
    currency: stored.currency,
    fee_minor: stored.fee_minor,
    id: stored.id,
    account_no: stored.account_no,
    channel: stored.channel,
    rail_reference: stored.rail_reference,
    receipt: stored.receipt,
    failure_code: stored.failure_code,
    under_review: stored.under_review,
    created_at: instantFromMs(stored.created_at.getTime()),
    completed_at: instantOrNull(stored.completed_at),
    paid_at: instantOrNull(stored.paid_at),
    posted_at: instantOrNull(stored.posted_at),
    requested_minor: stored.requested_minor,
  };
}

function instantOrNull(date: Date | null): Instant | null {
  return date && instantFromMs(date.getTime());
}
