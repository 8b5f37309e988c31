import { type RailConfirmed } from '#domain/collections';
import { type Decider, type EventMetadata } from '#domain/event-sourcing';
import { assertNever, type Instant, type Minor } from '#domain/kernel';
import { type Wallet } from '#domain/ledger';
import {
  type PayoutEvent,
  payoutEventTypes,
  type PayoutRequested,
  type PayoutReviewReason,
  type RejectionReason,
} from './payout.events.js';

/** What the merchant asked for, as the first event has it. */
export type PayoutRequest = PayoutRequested['data'];

interface Recorded {
  readonly request: PayoutRequest;
  /** Commitment to the evidence of the merchant's request; WalletPosted repeats it. */
  readonly requestCommitment: string;
  readonly underReview: boolean;
  /** Why a person was last asked to look. */
  readonly reviewedFor?: PayoutReviewReason;
}

/** Recorded, and its funds not yet reserved: a step of the request that a crash may leave to the worker. */
export interface Requested extends Recorded {
  readonly status: 'requested';
}

/** Waits for a second holder. */
export interface Reserved extends Recorded {
  readonly status: 'reserved';
}

interface Decided extends Recorded {
  /** Who approved: a holder, or `automatic`. */
  readonly approvedBy: string;
}

/** Nothing was sent yet; the worker is to send it. */
export interface Approved extends Decided {
  readonly status: 'approved';
  /** The rail's own account did not cover it. */
  readonly waitingForFloatSince?: Instant;
}

interface Payment {
  readonly receipt?: string;
  readonly paidAt?: Instant;
}

interface Sent extends Decided, Payment {
  /** Our own name for the payment, fixed before it was sent; the rail takes it once. */
  readonly originatorConversationId: string;
  /** The rail's name for it; absent while the rail's answer is not known. */
  readonly conversationId?: string;
}

/** Sent once, or about to be; only the rail's report ends it. */
export interface Started extends Sent {
  readonly status: 'started';
}

/** Final. */
export interface CompletedPayout extends Sent {
  readonly status: 'completed';
}

/** The reservation is released, or about to be. Not final: the rail may still say that it paid. */
export interface FailedPayout extends Sent {
  readonly status: 'failed';
  readonly failureCode: string;
  /** The rail said later that it paid, and the money is not posted yet. */
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

type Fact = PayoutEvent & { readonly metadata: EventMetadata };

export const payoutDecider: Decider<Payout, PayoutEvent> = {
  types: payoutEventTypes,
  initial: { status: 'none' },
  evolve,
};

function evolve(state: Payout, event: Fact): Payout {
  if (event.type === 'PayoutRequested') {
    return {
      status: 'requested',
      request: event.data,
      requestCommitment: commitmentOf(event.metadata),
      underReview: false,
    };
  }
  if (state.status === 'none')
    throw new TypeError(`a payout's history begins with its request, not with ${event.type}`);
  switch (event.type) {
    case 'ReviewFlagged':
      return { ...state, underReview: true, reviewedFor: event.data.why };
    case 'ReviewDecided': {
      const { reviewedFor: _decided, ...rest } = state;
      return { ...rest, underReview: false };
    }
    case 'PayoutReserved':
      return { ...recordedPart(state), status: 'reserved' };
    case 'PayoutApproved':
      return { ...recordedPart(state), status: 'approved', approvedBy: event.data.holder };
    case 'PayoutRejected':
      return {
        ...recordedPart(state),
        underReview: false,
        status: 'rejected',
        ...rejectionOf(event.data),
      };
    case 'PayoutWaitingForFloat':
    case 'RailPayoutStarted':
    case 'RailPayoutAccepted':
    case 'RailConfirmed':
    case 'RailDeclined':
    case 'WalletPosted':
      return evolveApproved(approvedState(state, event.type), event);
    default:
      return assertNever(event);
  }
}

type RailFact = Extract<
  Fact,
  {
    readonly type:
      | 'PayoutWaitingForFloat'
      | 'RailPayoutStarted'
      | 'RailPayoutAccepted'
      | 'RailConfirmed'
      | 'RailDeclined'
      | 'WalletPosted';
  }
>;

type ApprovedState = Approved | Started | CompletedPayout | FailedPayout;

/** @throws TypeError: nothing goes to the rail before it is approved */
function approvedState(state: RecordedPayout, type: string): ApprovedState {
  if (state.status === 'requested' || state.status === 'reserved' || state.status === 'rejected')
    throw new TypeError(`a payout that is ${state.status} cannot have ${type}`);
  return state;
}

/** Status changes on the events that carry legs or a failure, never on RailConfirmed alone (LIST-11). */
function evolveApproved(state: ApprovedState, event: RailFact): Payout {
  if (event.type === 'PayoutWaitingForFloat')
    return state.status === 'approved'
      ? { ...state, waitingForFloatSince: event.data.since }
      : state;
  if (event.type === 'RailPayoutStarted')
    return {
      ...decidedPart(state),
      status: 'started',
      originatorConversationId: event.data.originatorConversationId,
    };
  const sent = sentState(state, event.type);
  switch (event.type) {
    case 'RailPayoutAccepted':
      return { ...sent, conversationId: event.data.conversationId };
    case 'RailDeclined':
      return {
        ...sentPart(sent),
        underReview: false,
        status: 'failed',
        failureCode: event.data.failureCode,
      };
    case 'RailConfirmed':
      return confirmed(sent, event);
    case 'WalletPosted':
      return { ...sentPart(sent), underReview: false, status: 'completed', ...paymentOf(sent) };
    default:
      return assertNever(event);
  }
}

type SentState = Started | CompletedPayout | FailedPayout;

/** @throws TypeError: the rail reports on nothing that was not sent */
function sentState(state: ApprovedState, type: string): SentState {
  if (state.status === 'approved')
    throw new TypeError(`a payout that was not sent cannot have ${type}`);
  return state;
}

/** What the confirmation says is kept until the posting beside it, or after it, makes the payout complete. */
function confirmed(
  state: SentState,
  { data, metadata }: RailConfirmed & { readonly metadata: EventMetadata },
): Payout {
  const { commitment } = metadata;
  switch (state.status) {
    case 'failed':
      return {
        ...state,
        paidLate: data,
        ...(commitment === undefined ? {} : { railCommitment: commitment }),
      };
    case 'started':
    case 'completed':
      return { ...state, ...receiptOf(data) };
    default:
      return assertNever(state);
  }
}

function paymentOf(state: SentState): Payment {
  return state.status === 'failed' && state.paidLate ? receiptOf(state.paidLate) : receiptOf(state);
}

function receiptOf({ receipt, paidAt }: Payment): Payment {
  return {
    ...(receipt === undefined ? {} : { receipt }),
    ...(paidAt === undefined ? {} : { paidAt }),
  };
}

function rejectionOf({
  reason,
  holder,
}: {
  readonly reason: RejectionReason;
  readonly holder?: string;
}): Pick<Rejected, 'reason' | 'rejectedBy'> {
  return { reason, ...(holder === undefined ? {} : { rejectedBy: holder }) };
}

/** @throws TypeError: no merchant's request is carried out without the evidence of it */
function commitmentOf({ commitment }: EventMetadata): string {
  if (commitment === undefined) throw new TypeError('a payout stands without a commitment');
  return commitment;
}

/** What every status has; what only the former one had stays behind. */
function recordedPart({
  request,
  requestCommitment,
  underReview,
  reviewedFor,
}: Recorded): Recorded {
  return {
    request,
    requestCommitment,
    underReview,
    ...(reviewedFor === undefined ? {} : { reviewedFor }),
  };
}

function decidedPart(state: Decided): Decided {
  return { ...recordedPart(state), approvedBy: state.approvedBy };
}

function sentPart(state: SentState) {
  const { originatorConversationId, conversationId } = state;
  return {
    ...decidedPart(state),
    originatorConversationId,
    ...(conversationId === undefined ? {} : { conversationId }),
  };
}

/** The wallet that the payout is paid from. */
export function walletOf({ mode, merchantId, accountNo, currency }: PayoutRequest): Wallet {
  return { mode, merchantId, accountNo, currency };
}

/** What leaves the wallet: the amount, and the fee on top of it. */
export function totalOf({
  amountMinor,
  feeMinor,
}: Pick<PayoutRequest, 'amountMinor' | 'feeMinor'>): Minor {
  return amountMinor + feeMinor;
}

export type PayoutStatus = 'pending_approval' | 'pending' | 'completed' | 'failed' | 'rejected';

/** What a merchant is told of a payout, in the API's words (PAY-1). */
export interface PayoutView {
  readonly status: PayoutStatus;
  readonly reference: string;
  /** The rail's name for the payment; absent until the rail gave one. */
  readonly railReference?: string;
  readonly amountMinor: Minor;
  readonly currency: string;
}

/** @throws TypeError for a payout without history: only a stream that was read or written has a view. */
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

/** The API's word for a state of the payout's history. */
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
