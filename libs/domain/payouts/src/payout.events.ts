import { type WalletPosted } from '#domain/ledger';
import { type RailConfirmed, type RailReceiptRecorded, type ReportSource } from '#domain/rails';
import { type EventTypes, type StoredEvent } from '#domain/event-sourcing';
import { type Instant, type Minor, type Mode } from '#domain/kernel';

/** The collection that a payout gives back (REF-1). */
export interface RefundOf {
  /** The reference of the collection. */
  readonly reference: string;
  /** The receipt of the payment that the rail reverses. Absent if the refund is sent to the customer's number. */
  readonly reverses?: string;
}

export type PayoutRequested = StoredEvent<
  'PayoutRequested',
  {
    merchantId: string;
    mode: Mode;
    accountNo: string;
    currency: string;
    /** The amount that the customer receives. */
    amountMinor: Minor;
    /** The amount that the merchant pays in addition. */
    feeMinor: Minor;
    /** The rail. */
    channel: string;
    reference: string;
    /** The batch that the payout is part of; absent for a single payout. */
    batch?: string;
    /** Absent for the reversal of a payment whose number the rail hides. */
    phoneHmac?: string;
    phoneMasked?: string;
    /** Absent unless the payout is a refund. */
    refund?: RefundOf;
    /** The requester: the person or system behind the credential, who may not approve. */
    holder: string;
    /**
     * The revision of the wallet's reservations before the request, in digits. The payout's reservation comes after it.
     * Absent if nothing was ever reserved.
     */
    reservationsRevision?: string;
  }
>;

/** The amount and the fee are reserved, so the payout may be approved. */
export type PayoutReserved = StoredEvent<
  'PayoutReserved',
  {
    /** The revision of the payout's own reservation in the wallet's reservations, in digits. */
    reservationsRevision: string;
  }
>;

/** The fields that a decision is bound to, copied from the payout's own first event (PAY-7). */
export interface Bound {
  amountMinor: Minor;
  phoneHmac?: string;
}

/** The approver's name if the operator's limits approve a payout without a second holder. */
export const automaticApprover = 'automatic';

export type PayoutApproved = StoredEvent<
  'PayoutApproved',
  Bound & {
    /** Another holder than the requester, or `automatic`. */
    holder: string;
  }
>;

/**
 * The reasons of a rejection.
 * - `cancelled`: one person stopped it before it was given to the rail (PAY-45).
 * - `insufficient_funds`: the funds went away between the check and the reservation.
 * - `already_refunded`: other refunds claimed the collection's money between the check and the reservation.
 * - `not_sent`: it was approved, and operators ended it before anything was sent.
 * - `reference_taken`, `request_lost`: its batch cannot be carried out, see `BatchRejectionReason`.
 */
export type RejectionReason =
  | 'rejected_by_holder'
  | 'cancelled'
  | 'insufficient_funds'
  | 'already_refunded'
  | 'not_sent'
  | 'reference_taken'
  | 'request_lost';

export type PayoutRejected = StoredEvent<
  'PayoutRejected',
  Bound & {
    reason: RejectionReason;
    /** Absent if no person decided. */
    holder?: string;
  }
>;

/**
 * `age`: it was not started in time (PAY-48). `checks`: it no longer passes the checks that it passed when it was
 * requested (PAY-49).
 */
export type ExpiryReason = 'age' | 'checks';

/** The approval no longer counts, so the payout waits for a new one. */
export type PayoutApprovalExpired = StoredEvent<'PayoutApprovalExpired', { why: ExpiryReason }>;

/** The rail's own account does not cover the payout. It is sent only when the account does. */
export type PayoutWaitingForFloat = StoredEvent<'PayoutWaitingForFloat', { since: Instant }>;

/** From here on the payout may have been sent, so it is never sent again. */
export type RailPayoutStarted = StoredEvent<
  'RailPayoutStarted',
  { originatorConversationId: string }
>;

export type RailPayoutAccepted = StoredEvent<
  'RailPayoutAccepted',
  {
    conversationId: string;
    /** The rail's name for an order that cannot carry ours, such as a reversal. Absent if the order carries ours. */
    originatorConversationId?: string;
  }
>;

/** `answer`: the rail refused the order at once, in its answer to it. */
export type PayoutDeclined = StoredEvent<
  'RailDeclined',
  { by: ReportSource | 'answer'; failureCode: string }
>;

/** The cause of a review: a literal, so that reviews can be listed by cause. */
export type PayoutReviewReason =
  | 'paid_after_decline'
  | 'declined_after_payment'
  | 'payout_amount_differs'
  | 'payout_amount_unreadable'
  | 'second_receipt'
  | 'duplicate_receipt'
  | 'no_word_from_rail'
  | 'float_missing'
  | 'phone_missing'
  | 'given_before'
  | 'paid_unsent'
  | 'opened_by_operator';

export type PayoutReviewFlagged = StoredEvent<'ReviewFlagged', { why: PayoutReviewReason }>;

/** The rulings that an operator may make on a payout under review. */
export type PayoutRuling = 'paid' | 'failed';

export type PayoutReviewDecided = StoredEvent<
  'ReviewDecided',
  { decision: PayoutRuling; reason: string; proposedBy: string; confirmedBy?: string }
>;

export type PayoutEvent =
  | PayoutRequested
  | PayoutReserved
  | PayoutApproved
  | PayoutRejected
  | PayoutApprovalExpired
  | PayoutWaitingForFloat
  | RailPayoutStarted
  | RailPayoutAccepted
  | RailConfirmed
  | RailReceiptRecorded
  | PayoutDeclined
  | WalletPosted
  | PayoutReviewFlagged
  | PayoutReviewDecided;

/** The stored names and versions of these events (EVT-1). */
export const payoutEventTypes = {
  PayoutRequested: { version: 1 },
  PayoutReserved: { version: 1 },
  PayoutApproved: { version: 1 },
  PayoutRejected: { version: 1 },
  PayoutApprovalExpired: { version: 1 },
  PayoutWaitingForFloat: { version: 1 },
  RailPayoutStarted: { version: 1 },
  RailPayoutAccepted: { version: 1 },
  RailConfirmed: { version: 1 },
  RailReceiptRecorded: { version: 1 },
  RailDeclined: { version: 1 },
  WalletPosted: { version: 1 },
  ReviewFlagged: { version: 1 },
  ReviewDecided: { version: 1 },
} as const satisfies Record<PayoutEvent['type'], EventTypes[string]>;

/** The key of a payout. A reference is unique per merchant and mode, separately from those of collections. */
export interface PayoutKey {
  readonly mode: Mode;
  readonly merchantId: string;
  readonly reference: string;
}

/** The stream of a payout. Neither a merchant id nor a mode contains a colon; a reference may. */
export function payoutStream({ mode, merchantId, reference }: PayoutKey): string {
  return `payout-${mode}:${merchantId}:${reference}`;
}

/** No payout's reference contains `~`, so the stream of a batch is no payout's stream. */
const streamPattern = /^payout-(live|demo):([^:]+):([^~]+)$/;

/** Returns the key from a stream's name; undefined if it names no payout. */
export function payoutKeyOf(stream: string): PayoutKey | undefined {
  const match = streamPattern.exec(stream);
  if (!match) return undefined;
  const [, mode, merchantId, reference] = match as unknown as [string, Mode, string, string];
  return { mode, merchantId, reference };
}

/**
 * Returns the source under which a late success is reserved. It differs from the payout's own source, so that a late
 * release of a declined reservation can never release money that was paid after all.
 */
export function lateSourceOf(stream: string): string {
  return `${stream}~late`;
}
