import { type RailConfirmed } from '#domain/rails';
import { type Questions } from '#domain/reviews';
import { assertNever, type Instant, type Minor } from '#domain/kernel';
import { type Wallet } from '#domain/ledger';
import { type Acting } from './decide/known-deciders.js';
import {
  type Bound,
  type ExpiryReason,
  type PayoutRequested,
  type PayoutReviewReason,
  type RejectionReason,
} from './payout.events.js';

/** The merchant's request, as the first event has it. */
export type PayoutRequest = PayoutRequested['data'];

export interface Recorded extends Questions<PayoutReviewReason> {
  readonly request: PayoutRequest;
  readonly asker: Acting;
  /** Commitment to the evidence of the merchant's request; WalletPosted repeats it. */
  readonly requestCommitment: string;
  /** True if it was flagged because another stream has its receipt. */
  readonly sharesReceipt?: true;
  /**
   * `listed`: it was listed because the records know that the rail was given it (PAY-61). `decided`: operators have
   * decided on that since.
   */
  readonly givenBefore?: 'listed' | 'decided';
  /** The proposal that the latest decision of operators confirmed. */
  readonly decidedProposal?: string;
  /** The reason why its last approval expired. From then on a payout of a batch is decided on its own (PAY-48). */
  readonly lastExpiry?: ExpiryReason;
  /** The number of its approvals that have expired. After each, it waits for a new decision. */
  readonly expiries: number;
  /** The trace of the merchant's request, if it is recorded. */
  readonly traceparent?: string;
}

/** Recorded, but its funds are not reserved yet. After a crash the worker takes that step. */
export interface Requested extends Recorded {
  readonly status: 'requested';
}

/** Waits for a second holder. */
export interface Reserved extends Recorded {
  readonly status: 'reserved';
}

export interface Decided extends Recorded {
  /** The approver: a holder, or `automatic`. */
  readonly approvedBy: string;
  readonly approver: Acting;
}

/** Not sent yet; the worker sends it. */
export interface Approved extends Decided {
  readonly status: 'approved';
  /** The time since when the rail's float has not covered it. */
  readonly waitingForFloatSince?: Instant;
}

export interface Payment {
  readonly receipt?: string;
  readonly paidAt?: Instant;
}

interface Sent extends Decided, Payment {
  /** Our own id of the payment, fixed before it was sent; the rail accepts it once. */
  readonly originatorConversationId: string;
  /** The rail's id of the payment; absent while the rail's answer is not known. */
  readonly conversationId?: string;
  /** True if the rail's own result declined it once, whatever was reported later. A query's decline does not count. */
  readonly wasDeclined?: true;
}

/** Sent once, or about to be. Only a report of the rail ends it. */
export interface Started extends Sent {
  readonly status: 'started';
}

/** Final. */
export interface CompletedPayout extends Sent {
  readonly status: 'completed';
}

/** The reservation is released, or about to be. Not final: the rail may still report that it paid. */
export interface FailedPayout extends Sent {
  readonly status: 'failed';
  readonly failureCode: string;
  /** A later report that it was paid, which is not posted yet. */
  readonly paidLate?: RailConfirmed['data'];
  readonly railCommitment?: string;
}

/** Final: nothing was sent. */
export interface Rejected extends Recorded {
  readonly status: 'rejected';
  readonly reason: RejectionReason;
  readonly rejectedBy?: string;
}

export type RecordedPayout =
  Requested | Reserved | Approved | Started | CompletedPayout | FailedPayout | Rejected;

export type Payout = { readonly status: 'none' } | RecordedPayout;

/** The wallet that the payout is paid from. */
export function walletOf({ mode, merchantId, accountNo, currency }: Wallet): Wallet {
  return { mode, merchantId, accountNo, currency };
}

/** The sum that leaves the wallet: amount and fee. */
export function totalOf({
  amountMinor,
  feeMinor,
}: Pick<PayoutRequest, 'amountMinor' | 'feeMinor'>): Minor {
  return amountMinor + feeMinor;
}

/** False for a refund that the rail makes by reversing the customer's payment. */
export function isPaidToNumber({ refund }: Pick<PayoutRequest, 'refund'>): boolean {
  return refund?.reverses === undefined;
}

/** The fields of a request that a decision on it repeats (PAY-7). */
export function boundTo({ amountMinor, phoneHmac }: PayoutRequest): Bound {
  return { amountMinor, ...(phoneHmac === undefined ? {} : { phoneHmac }) };
}

export type PayoutStatus = 'pending_approval' | 'pending' | 'completed' | 'failed' | 'rejected';

/** A payout as the API shows it (PAY-1). */
export interface PayoutView {
  readonly status: PayoutStatus;
  readonly reference: string;
  /** The rail's name for the payment; absent until the rail named it. */
  readonly railReference?: string;
  readonly amountMinor: Minor;
  readonly currency: string;
}

/** @throws TypeError for a payout without history, since only a stream that was read or written has a view */
export function payoutViewOf(state: Payout): PayoutView {
  if (state.status === 'none') throw new TypeError('a payout without a request has no view');
  const { reference, amountMinor, currency } = state.request;
  const conversationId = 'conversationId' in state ? state.conversationId : undefined;
  return {
    status: payoutStatusOf(state.status),
    reference,
    ...(conversationId === undefined ? {} : { railReference: conversationId }),
    amountMinor,
    currency,
  };
}

/** The API's word for a status in the payout's history. */
export function payoutStatusOf(status: RecordedPayout['status']): PayoutStatus {
  switch (status) {
    case 'requested':
    case 'reserved':
      return 'pending_approval';
    case 'approved':
    case 'started':
      return 'pending';
    case 'completed':
    case 'failed':
    case 'rejected':
      return status;
    default:
      return assertNever(status);
  }
}
