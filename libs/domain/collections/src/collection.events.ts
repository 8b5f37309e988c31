import { type Instant, type Minor, type Mode } from '#domain/kernel';
import { type EventTypes, type StoredEvent } from '#domain/event-sourcing';
import { type Leg, type WalletPosted } from '#domain/ledger';
import { type RailConfirmed, type RailDeclined, type RailReceiptRecorded } from '#domain/rails';
import { type ReviewDecision } from '#domain/reviews';

/** The interface that created the collection. `c2b`: none did, the customer paid without a push (C2B-1). */
export const origins = ['v4', 'v3', 'checkout', 'c2b'] as const;
export type Origin = (typeof origins)[number];

export type CollectionIntentRecorded = StoredEvent<
  'CollectionIntentRecorded',
  {
    merchantId: string;
    mode: Mode;
    accountNo: string;
    currency: string;
    amountMinor: Minor;
    feeMinor: Minor;
    /** The rail. */
    channel: string;
    reference: string;
    /** Our own code of 12 characters, which the rail shows on its statement. Absent for `c2b`. */
    accountReference?: string;
    /** Absent for `c2b`, because the rail hides the number. */
    phoneHmac?: string;
    /** Absent if the rail hides even the number's ends. */
    phoneMasked?: string;
    origin: Origin;
    callbackUrl?: string;
  }
>;

export type RailPushAccepted = StoredEvent<
  'RailPushAccepted',
  { railReference: string; merchantRequestId?: string }
>;

export type RailPushRejected = StoredEvent<'RailPushRejected', { failureCode: string }>;

export type AmountMismatchRecorded = StoredEvent<
  'AmountMismatchRecorded',
  { receipt?: string; amountMinor: Minor; paidAt?: Instant }
>;

export type SuspensePosted = StoredEvent<
  'SuspensePosted',
  { receipt?: string; amountMinor: Minor; paidAt?: Instant; legs: readonly Leg[] }
>;

/** The cause of a review: a literal, so that reviews can be listed by cause. */
export type ReviewReason =
  | 'receipt_amount_differs'
  | 'second_receipt'
  | 'declined_after_payment'
  | 'no_word_from_rail'
  | 'amount_unreadable'
  | 'other_checkout'
  | 'checkout_of_another'
  | 'duplicate_receipt'
  | 'opened_by_operator'
  | 'found_at_rail'
  | 'account_not_named';

export type ReviewFlagged = StoredEvent<'ReviewFlagged', { why: ReviewReason }>;

/**
 * The end of a suspense. The legs show where the money went: to the merchant's wallet, less the fee, or back over the rail
 * (`isReturned` of the ledger).
 */
export type SuspenseResolved = StoredEvent<
  'SuspenseResolved',
  { receipt?: string; amountMinor: Minor; paidAt?: Instant; legs: readonly Leg[] }
>;

/** An operator's decision, in the same append as the events that follow from it. */
export type ReviewDecided = StoredEvent<
  'ReviewDecided',
  {
    decision: ReviewDecision;
    reason: string;
    proposedBy: string;
    /** A second operator; absent if one was enough because no money moved. */
    confirmedBy?: string;
  }
>;

/** A refund's claim to money of the collection, and the collection's sums after the event (REF-4). */
interface RefundClaim {
  /** The reference of the payout that refunds. */
  payoutReference: string;
  amountMinor: Minor;
  /** The sum of the refunds without an outcome. */
  openMinor: Minor;
  /** The sum that customers got back. */
  refundedMinor: Minor;
}

export type RefundReserved = StoredEvent<'RefundReserved', RefundClaim>;

/** The refund was rejected or failed, so its claim ends. */
export type RefundReleased = StoredEvent<'RefundReleased', RefundClaim>;

export type RefundPaid = StoredEvent<'RefundPaid', RefundClaim>;

export type CollectionEvent =
  | CollectionIntentRecorded
  | RailPushAccepted
  | RailPushRejected
  | RailConfirmed
  | RailDeclined
  | RailReceiptRecorded
  | WalletPosted
  | AmountMismatchRecorded
  | SuspensePosted
  | SuspenseResolved
  | ReviewFlagged
  | ReviewDecided
  | RefundReserved
  | RefundReleased
  | RefundPaid;

/** The stored names and versions of these events (EVT-1). */
export const collectionEventTypes = {
  CollectionIntentRecorded: { version: 1 },
  RailPushAccepted: { version: 1 },
  RailPushRejected: { version: 1 },
  RailConfirmed: { version: 1 },
  RailDeclined: { version: 1 },
  RailReceiptRecorded: { version: 1 },
  WalletPosted: { version: 1 },
  AmountMismatchRecorded: { version: 1 },
  SuspensePosted: { version: 1 },
  SuspenseResolved: { version: 1 },
  ReviewFlagged: { version: 1 },
  ReviewDecided: { version: 1 },
  RefundReserved: { version: 1 },
  RefundReleased: { version: 1 },
  RefundPaid: { version: 1 },
} as const satisfies Record<CollectionEvent['type'], EventTypes[string]>;

const pushAnswers: ReadonlySet<string> = new Set<CollectionEvent['type']>([
  'RailPushAccepted',
  'RailPushRejected',
]);

/** True if an event's evidence is the rail's answer to a push. Only that message may be missing (EVT-42). */
export function answersPush({ type }: { readonly type: string }): boolean {
  return pushAnswers.has(type);
}

/** The identity of a collection: a reference is unique per merchant and mode, for ever. */
export interface CollectionKey {
  readonly mode: Mode;
  readonly merchantId: string;
  readonly reference: string;
}

/** The stream of a collection. Neither a merchant id nor a mode contains a colon; a reference may. */
export function collectionStream({ mode, merchantId, reference }: CollectionKey): string {
  return `collection-${mode}:${merchantId}:${reference}`;
}

const streamPattern = /^collection-(live|demo):([^:]+):(.+)$/;

/** Returns the key from a stream's name; undefined if it names no collection. */
export function collectionKeyOf(stream: string): CollectionKey | undefined {
  const match = streamPattern.exec(stream);
  if (!match) return undefined;
  const [, mode, merchantId, reference] = match as unknown as [string, Mode, string, string];
  return { mode, merchantId, reference };
}
