import { unasked, withQuestion } from '#domain/reviews';
import { type RailConfirmed, type RailReceiptRecorded } from '#domain/rails';
import { type Decider, type EventMetadata, traceIn } from '#domain/event-sourcing';
import { assertNever } from '#domain/kernel';
import { actingAs } from './decide/known-deciders.js';
import {
  type Approved,
  type CompletedPayout,
  type Decided,
  type FailedPayout,
  type Payment,
  type Payout,
  type Recorded,
  type RecordedPayout,
  type Rejected,
  type Started,
} from './payout.js';
import {
  type PayoutEvent,
  payoutEventTypes,
  type PayoutReviewReason,
  type RejectionReason,
} from './payout.events.js';

type Fact = PayoutEvent & { readonly metadata: EventMetadata };

export const payoutDecider: Decider<Payout, PayoutEvent> = {
  types: payoutEventTypes,
  initial: { status: 'none' },
  evolve,
  traceOf: (state) => (state.status === 'none' ? undefined : state.traceparent),
};

function evolve(state: Payout, event: Fact): Payout {
  if (event.type === 'PayoutRequested') {
    return {
      status: 'requested',
      request: event.data,
      asker: actingAs(event.data.holder, event.metadata.actor),
      requestCommitment: commitmentOf(event.metadata),
      expiries: 0,
      ...unasked,
      ...traceIn(event.metadata),
    };
  }
  if (state.status === 'none')
    throw new TypeError(`a payout's history begins with its request, not with ${event.type}`);
  switch (event.type) {
    case 'ReviewFlagged':
      return flagged(state, event.data.why);
    case 'ReviewDecided':
      return { ...state, ...unasked, ...decidedBy(event.metadata), ...givenDecided(state) };
    case 'PayoutReserved':
      return { ...recordedPart(state), status: 'reserved' };
    case 'PayoutApproved':
      return {
        ...recordedPart(state),
        status: 'approved',
        approvedBy: event.data.holder,
        approver: actingAs(event.data.holder, event.metadata.actor),
      };
    case 'PayoutApprovalExpired':
      // The reason why it was not sent no longer applies, and the review of it ends.
      return {
        ...recordedPart(approvedOnly(state)),
        ...unasked,
        lastExpiry: event.data.why,
        expiries: state.expiries + 1,
        status: 'reserved',
      };
    case 'PayoutRejected':
      return {
        ...recordedPart(state),
        ...unasked,
        status: 'rejected',
        ...rejectionOf(event.data),
      };
    case 'PayoutWaitingForFloat':
    case 'RailPayoutStarted':
    case 'RailPayoutAccepted':
    case 'RailConfirmed':
    case 'RailReceiptRecorded':
    case 'RailDeclined':
    case 'WalletPosted':
      return evolveApproved(approvedState(state, event.type), event);
    default:
      return assertNever(event);
  }
}

function flagged(state: RecordedPayout, why: PayoutReviewReason): RecordedPayout {
  const asked = { ...state, ...withQuestion(state, why) };
  if (why === 'duplicate_receipt') return { ...asked, sharesReceipt: true };
  return why === 'given_before' ? { ...asked, givenBefore: 'listed' } : asked;
}

/** Before an approval, only a payout that the rail was given can be under review. */
function givenDecided({ givenBefore, status }: RecordedPayout): Pick<Recorded, 'givenBefore'> {
  const isGiven = givenBefore !== undefined || status === 'requested' || status === 'reserved';
  return isGiven ? { givenBefore: 'decided' } : {};
}

/** A decision has the proposal that it confirms as its cause. */
function decidedBy({ causationId }: EventMetadata): Pick<Recorded, 'decidedProposal'> {
  return causationId === undefined ? {} : { decidedProposal: causationId };
}

/** @throws TypeError if the payout is not approved, since only an approval can expire, before any further step */
function approvedOnly(state: RecordedPayout): Approved {
  if (state.status !== 'approved')
    throw new TypeError(`a payout that is ${state.status} has no approval that expires`);
  return state;
}

type RailFact = Extract<
  Fact,
  {
    readonly type:
      | 'PayoutWaitingForFloat'
      | 'RailPayoutStarted'
      | 'RailPayoutAccepted'
      | 'RailConfirmed'
      | 'RailReceiptRecorded'
      | 'RailDeclined'
      | 'WalletPosted';
  }
>;

type ApprovedState = Approved | Started | CompletedPayout | FailedPayout;

/** @throws TypeError if the payout is not approved, since nothing goes to the rail before that */
function approvedState(state: RecordedPayout, type: string): ApprovedState {
  if (state.status === 'requested' || state.status === 'reserved' || state.status === 'rejected')
    throw new TypeError(`a payout that is ${state.status} cannot have ${type}`);
  return state;
}

/** The status changes on events that carry legs or a failure, never on RailConfirmed alone (LIST-11). */
function evolveApproved(state: ApprovedState, event: RailFact): Payout {
  if (event.type === 'PayoutWaitingForFloat')
    return state.status === 'approved'
      ? { ...state, waitingForFloatSince: event.data.since }
      : state;
  if (event.type === 'RailPayoutStarted')
    return {
      // The reason why it was not sent no longer applies, and the review of it ends.
      ...decidedPart(state),
      ...unasked,
      status: 'started',
      originatorConversationId: event.data.originatorConversationId,
    };
  const sent = sentState(state, event.type);
  switch (event.type) {
    case 'RailPayoutAccepted':
      return { ...sent, ...event.data };
    case 'RailDeclined':
      return {
        ...sentPart(sent),
        ...unasked,
        ...(event.data.by === 'callback' ? { wasDeclined: true } : {}),
        status: 'failed',
        failureCode: event.data.failureCode,
      };
    case 'RailConfirmed':
      return confirmed(sent, event);
    case 'RailReceiptRecorded':
      return withReceipt(sent, event.data);
    case 'WalletPosted':
      return { ...sentPart(sent), ...unasked, status: 'completed', ...paymentOf(sent) };
    default:
      return assertNever(event);
  }
}

type SentState = Started | CompletedPayout | FailedPayout;

/** @throws TypeError if the payout was not sent, since the rail reports on sent ones only */
function sentState(state: ApprovedState, type: string): SentState {
  if (state.status === 'approved')
    throw new TypeError(`a payout that was not sent cannot have ${type}`);
  return state;
}

/** Keeps the confirmation's data until the posting with it, or after it, completes the payout. */
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

/** A report after the one that settled it brings the missing receipt. */
function withReceipt(state: SentState, { receipt, paidAt }: RailReceiptRecorded['data']): Payout {
  const told = receiptOf({ receipt, ...(paidAt === undefined ? {} : { paidAt }) });
  if (state.status !== 'failed') return { ...state, ...told };
  return state.paidLate ? { ...state, paidLate: { ...state.paidLate, ...told } } : state;
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

/** @throws TypeError without a commitment, since every merchant's request has evidence */
function commitmentOf({ commitment }: EventMetadata): string {
  if (commitment === undefined) throw new TypeError('a payout stands without a commitment');
  return commitment;
}

/** Keeps the fields that every status has, and drops those of the former status. */
function recordedPart({
  request,
  asker,
  requestCommitment,
  underReview,
  questions,
  sharesReceipt,
  givenBefore,
  decidedProposal,
  lastExpiry,
  expiries,
  traceparent,
}: Recorded): Recorded {
  return {
    request,
    asker,
    requestCommitment,
    expiries,
    underReview,
    questions,
    ...(sharesReceipt === undefined ? {} : { sharesReceipt }),
    ...(givenBefore === undefined ? {} : { givenBefore }),
    ...(decidedProposal === undefined ? {} : { decidedProposal }),
    ...(lastExpiry === undefined ? {} : { lastExpiry }),
    ...traceIn({ traceparent }),
  };
}

function decidedPart(state: Decided): Decided {
  const { approvedBy, approver } = state;
  return { ...recordedPart(state), approvedBy, approver };
}

function sentPart(state: SentState) {
  const { originatorConversationId, conversationId, wasDeclined } = state;
  return {
    ...decidedPart(state),
    originatorConversationId,
    ...(conversationId === undefined ? {} : { conversationId }),
    ...(wasDeclined === undefined ? {} : { wasDeclined }),
  };
}
