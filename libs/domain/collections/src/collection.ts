import { assertNever, type Instant, type Minor } from '#domain/kernel';
import { type Decider, type EventMetadata, traceIn } from '#domain/event-sourcing';
import { isReturned } from '#domain/ledger';
import { type Questions, unasked, withQuestion } from '#domain/reviews';
import {
  type CollectionEvent,
  collectionEventTypes,
  type CollectionIntentRecorded,
  type RefundPaid,
  type RefundReleased,
  type RefundReserved,
  type ReviewReason,
} from './collection.events.js';

/** The merchant's request, as the first event has it. */
export type Intent = CollectionIntentRecorded['data'];

/** The state of the prompt on the phone. `unknown`: it may have been shown. */
type Push =
  | { readonly kind: 'unknown' }
  | {
      readonly kind: 'accepted';
      readonly railReference: string;
      readonly merchantRequestId?: string;
    }
  | { readonly kind: 'rejected' };

/** The rail's own data about the payment. */
interface Payment {
  readonly receipt?: string;
  readonly paidAt?: Instant;
}

interface Recorded extends Questions<ReviewReason> {
  readonly intent: Intent;
  /** Commitment to the evidence of the merchant's request; WalletPosted repeats it. */
  readonly requestCommitment: string;
  readonly push: Push;
  readonly payment: Payment;
  /**
   * True if the rail's own callback declined it once, whatever was reported later. A query's decline does not count.
   */
  readonly wasDeclined?: true;
  /** True if it was flagged because another stream has its receipt. */
  readonly sharesReceipt?: true;
  /** The proposal that the latest decision of an operator confirmed. */
  readonly decidedProposal?: string;
  /** The trace of the merchant's request, if it is recorded. */
  readonly traceparent?: string;
}

export interface Pending extends Recorded {
  readonly status: 'pending';
}

/** Money of another amount arrived and waits for an operator: pending to the merchant, closed to the rail. */
export interface InSuspense extends Recorded {
  readonly status: 'in_suspense';
  readonly arrivedMinor: Minor;
}

/** Not final: money that arrives late is still posted, once. */
export interface Failed extends Recorded {
  readonly status: 'failed';
  readonly failureCode: string;
}

/** A refund of the collection, by the reference of its payout. */
export interface Refund {
  readonly amountMinor: Minor;
  readonly status: 'open' | 'released' | 'paid';
}

/** The refunds of a collection, and their sums as the latest event has them. */
export interface Refunds {
  readonly byPayout: ReadonlyMap<string, Refund>;
  readonly openMinor: Minor;
  readonly refundedMinor: Minor;
}

/** Final. */
export interface Completed extends Recorded {
  readonly status: 'completed';
  readonly postedMinor: Minor;
  readonly refunds: Refunds;
}

/**
 * Failed to the merchant, and closed to the rail: a repeated report must not post money that was sent back.
 */
export interface Refunded extends Recorded {
  readonly status: 'refunded';
  readonly returnedMinor: Minor;
}

export type RecordedCollection = Pending | InSuspense | Failed | Completed | Refunded;

export type Collection = { readonly status: 'none' } | RecordedCollection;

type Fact = CollectionEvent & { readonly metadata: EventMetadata };

export const collectionDecider: Decider<Collection, CollectionEvent> = {
  types: collectionEventTypes,
  initial: { status: 'none' },
  evolve,
  traceOf: (state) => (state.status === 'none' ? undefined : state.traceparent),
};

function evolve(state: Collection, event: Fact): Collection {
  if (event.type === 'CollectionIntentRecorded') {
    return {
      status: 'pending',
      intent: event.data,
      requestCommitment: commitmentOf(event.metadata),
      push: { kind: 'unknown' },
      payment: {},
      ...unasked,
      ...traceIn(event.metadata),
    };
  }
  if (state.status === 'none') {
    throw new TypeError(`a collection's history begins with its intent, not with ${event.type}`);
  }
  return evolveRecorded(state, event);
}

/**
 * The status changes on events that carry legs or a failure, never on RailConfirmed alone (LIST-11). A collection that is
 * still open to the rail is under review because of a timeout, so the rail's report ends that review.
 */
function evolveRecorded(
  state: RecordedCollection,
  event: Exclude<Fact, CollectionIntentRecorded>,
): Collection {
  switch (event.type) {
    case 'RailPushAccepted':
      return { ...state, push: { kind: 'accepted', ...event.data } };
    case 'RailPushRejected':
      return { ...failed(state, event.data.failureCode), push: { kind: 'rejected' } };
    case 'RailDeclined':
      return {
        ...failed(state, event.data.failureCode),
        ...(event.data.by === 'callback' ? { wasDeclined: true } : {}),
      };
    case 'RailConfirmed':
    case 'RailReceiptRecorded':
    case 'AmountMismatchRecorded':
      return { ...state, payment: { ...state.payment, ...paymentOf(event.data) } };
    case 'WalletPosted':
      return completed(state, event.data.amountMinor);
    case 'SuspensePosted':
      return {
        ...recordedPart(state),
        payment: { ...state.payment, ...paymentOf(event.data) },
        underReview: true,
        status: 'in_suspense',
        arrivedMinor: event.data.amountMinor,
      };
    case 'SuspenseResolved':
      return isReturned(event.data.legs)
        ? {
            ...recordedPart(state),
            ...unasked,
            status: 'refunded',
            returnedMinor: event.data.amountMinor,
          }
        : completed(state, event.data.amountMinor);
    case 'ReviewFlagged':
      return flagged(state, event.data.why);
    case 'ReviewDecided':
      return { ...state, ...unasked, ...decidedBy(event.metadata) };
    case 'RefundReserved':
      return refunding(state, event, 'open');
    case 'RefundReleased':
      return refunding(state, event, 'released');
    case 'RefundPaid':
      return refunding(state, event, 'paid');
    default:
      return assertNever(event);
  }
}

/** @throws TypeError without a commitment, since every merchant's request has evidence */
function commitmentOf({ commitment }: EventMetadata): string {
  if (commitment === undefined) throw new TypeError('an intent stands without a commitment');
  return commitment;
}

function failed(state: Recorded, failureCode: string): Failed {
  return { ...recordedPart(state), ...unasked, status: 'failed', failureCode };
}

const noRefunds: Refunds = { byPayout: new Map(), openMinor: 0n, refundedMinor: 0n };

function completed(state: Recorded, postedMinor: Minor): Completed {
  return {
    ...recordedPart(state),
    ...unasked,
    status: 'completed',
    postedMinor,
    refunds: noRefunds,
  };
}

/** @throws TypeError if the collection is not completed, since only posted money is refunded */
function refunding(
  state: RecordedCollection,
  { type, data }: RefundReserved | RefundReleased | RefundPaid,
  status: Refund['status'],
): Completed {
  if (state.status !== 'completed')
    throw new TypeError(`a collection that is ${state.status} cannot have ${type}`);
  const { payoutReference, amountMinor, openMinor, refundedMinor } = data;
  const byPayout = new Map(state.refunds.byPayout).set(payoutReference, { amountMinor, status });
  return { ...state, refunds: { byPayout, openMinor, refundedMinor } };
}

function flagged(state: RecordedCollection, why: ReviewReason): RecordedCollection {
  const asked = { ...state, ...withQuestion(state, why) };
  return why === 'duplicate_receipt' ? { ...asked, sharesReceipt: true } : asked;
}

/** A decision that confirms a proposal has the proposal as its cause. */
function decidedBy({ causationId }: EventMetadata): Pick<Recorded, 'decidedProposal'> {
  return causationId === undefined ? {} : { decidedProposal: causationId };
}

/** Keeps the fields that every status has, and drops those of the former status. */
function recordedPart({
  intent,
  requestCommitment,
  push,
  payment,
  wasDeclined,
  underReview,
  questions,
  sharesReceipt,
  decidedProposal,
  traceparent,
}: Recorded): Recorded {
  return {
    intent,
    requestCommitment,
    push,
    payment,
    ...(wasDeclined === undefined ? {} : { wasDeclined }),
    underReview,
    questions,
    ...(sharesReceipt === undefined ? {} : { sharesReceipt }),
    ...(decidedProposal === undefined ? {} : { decidedProposal }),
    ...traceIn({ traceparent }),
  };
}

function paymentOf({ receipt, paidAt }: Payment): Payment {
  return {
    ...(receipt === undefined ? {} : { receipt }),
    ...(paidAt === undefined ? {} : { paidAt }),
  };
}

/** The API vocabulary of a collection's status (COL-27). */
export type CollectionStatus = 'pending' | 'completed' | 'failed';

/** A collection as the answer to its creation shows it. */
export interface CollectionView {
  readonly status: CollectionStatus;
  readonly reference: string;
  /** Absent if it is not known whether a prompt was shown. */
  readonly railReference?: string;
  /** The posted amount if money was posted, else the requested one. */
  readonly amountMinor: Minor;
  readonly currency: string;
}

/** @throws TypeError for a collection without history, since only a stream that was read or written has a view */
export function viewOf(state: Collection): CollectionView {
  if (state.status === 'none') throw new TypeError('a collection without an intent has no view');
  const { intent, push } = state;
  return {
    status: statusOf(state),
    reference: intent.reference,
    ...(push.kind === 'accepted' ? { railReference: push.railReference } : {}),
    amountMinor: state.status === 'completed' ? state.postedMinor : intent.amountMinor,
    currency: intent.currency,
  };
}

/** Money in suspense may still become the merchant's. Money that was returned never does. */
function statusOf({ status }: RecordedCollection): CollectionStatus {
  switch (status) {
    case 'pending':
    case 'in_suspense':
      return 'pending';
    case 'completed':
      return 'completed';
    case 'failed':
    case 'refunded':
      return 'failed';
    default:
      return assertNever(status);
  }
}
