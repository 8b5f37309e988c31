import {
  type RailConfirmed,
  type RailReceiptRecorded,
  type ReportSource,
  type WalletPosted,
} from '#domain/collections';
import { type EventTypes, type StoredEvent } from '#domain/event-sourcing';
import { type Instant, type Minor, type Mode } from '#domain/kernel';

export type PayoutRequested = StoredEvent<
  'PayoutRequested',
  {
    merchantId: string;
    mode: Mode;
    accountNo: string;
    currency: string;
    /** What the customer receives. */
    amountMinor: Minor;
    /** What the merchant pays on top of it. */
    feeMinor: Minor;
    /** The rail. */
    channel: string;
    reference: string;
    /** Of the batch that the payout is part of; absent for one that stands alone. */
    batch?: string;
    phoneHmac: string;
    phoneMasked: string;
    /** Who asked: the person or system behind the credential, who may not approve. */
    holder: string;
    /**
     * The revision of the wallet's reservations before the request, in digits: what is reserved for the payout stands
     * after it. Absent where nothing was ever reserved.
     */
    reservationsRevision?: string;
  }
>;

/** The amount and the fee are reserved: the payout may be approved. */
export type PayoutReserved = StoredEvent<
  'PayoutReserved',
  {
    /** The revision at which the wallet's reservations hold the payout's, in digits. */
    reservationsRevision: string;
  }
>;

/** What a decision is bound to: a copy from the payout's own first event (PAY-7). */
interface Bound {
  amountMinor: Minor;
  phoneHmac: string;
}

/** Stands as the approver where the operator's limits let a payout pass without a second holder. */
export const automaticApprover = 'automatic';

export type PayoutApproved = StoredEvent<
  'PayoutApproved',
  Bound & {
    /** Another than the one who asked, or `automatic`. */
    holder: string;
  }
>;

/**
 * `cancelled`: one person stopped it before it was given to the rail (PAY-45). `insufficient_funds`: they went between the
 * question and the reservation. `not_sent`: it was approved, and operators ended it before anything was sent.
 * `reference_taken`, `request_lost`: of a batch that cannot be carried out, see `BatchRejectionReason`.
 */
export type RejectionReason =
  | 'rejected_by_holder'
  | 'cancelled'
  | 'insufficient_funds'
  | 'not_sent'
  | 'reference_taken'
  | 'request_lost';

export type PayoutRejected = StoredEvent<
  'PayoutRejected',
  Bound & {
    reason: RejectionReason;
    /** Absent where nobody decided. */
    holder?: string;
  }
>;

/** `age`: it was not started in time (PAY-48). `checks`: it no longer passes what it passed when it was asked for (PAY-49). */
export type ExpiryReason = 'age' | 'checks';

/** The approval no longer counts: the payout waits for a new one. */
export type PayoutApprovalExpired = StoredEvent<'PayoutApprovalExpired', { why: ExpiryReason }>;

/** The rail's own account does not cover the payout: it is not sent before it does. */
export type PayoutWaitingForFloat = StoredEvent<'PayoutWaitingForFloat', { since: Instant }>;

/** From here on the payout may have been sent: nobody sends it again. */
export type RailPayoutStarted = StoredEvent<
  'RailPayoutStarted',
  { originatorConversationId: string }
>;

export type RailPayoutAccepted = StoredEvent<'RailPayoutAccepted', { conversationId: string }>;

/** `answer`: the rail refused the order at once, in its answer to it. */
export type PayoutDeclined = StoredEvent<
  'RailDeclined',
  { by: ReportSource | 'answer'; failureCode: string }
>;

/** Why a person should look: a literal, so that reviews can be listed by cause. */
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

/** What an operator may decide of a payout that is under review. */
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

/** What names a payout: a reference is unique per merchant and mode, apart from those of collections. */
export interface PayoutKey {
  readonly mode: Mode;
  readonly merchantId: string;
  readonly reference: string;
}

/** The stream of a payout. Neither a merchant id nor a mode contains a colon; a reference may. */
export function payoutStream({ mode, merchantId, reference }: PayoutKey): string {
  return `payout-${mode}:${merchantId}:${reference}`;
}

/** No payout's reference holds `~`, so the stream of a batch is no payout's. */
const streamPattern = /^payout-(live|demo):([^:]+):([^~]+)$/;

/** The way back from a stream's name; undefined where it names no payout. */
export function payoutKeyOf(stream: string): PayoutKey | undefined {
  const match = streamPattern.exec(stream);
  if (!match) return undefined;
  const [, mode, merchantId, reference] = match as unknown as [string, Mode, string, string];
  return { mode, merchantId, reference };
}

/**
 * The source under which a late success is reserved. It is another than the payout's own, so that whoever still
 * releases what a decline freed can never release what was paid after all.
 */
export function lateSourceOf(stream: string): string {
  return `${stream}~late`;
}
