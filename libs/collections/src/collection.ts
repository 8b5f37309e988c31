import { never, type Instant, type Minor } from '#kernel';
import { type Decider, type EventMetadata } from '#event-sourcing';
import {
  type CollectionEvent,
  collectionEventTypes,
  type CollectionIntentRecorded,
} from './collection.events.js';

/** What the merchant asked for, as the first event has it. */
export type Intent = CollectionIntentRecorded['data'];

/** What is known of the prompt on the phone. `unknown` is a state of its own: it may have been shown. */
export type Push =
  | { readonly kind: 'unknown' }
  | {
      readonly kind: 'accepted';
      readonly railReference: string;
      readonly merchantRequestId?: string;
    }
  | { readonly kind: 'rejected' };

/** What the rail told of the payment itself. */
export interface Payment {
  readonly receipt?: string;
  readonly paidAt?: Instant;
}

interface Recorded {
  readonly intent: Intent;
  /** Commitment to the evidence of the merchant's request; WalletPosted repeats it. */
  readonly requestCommitment: string;
  readonly push: Push;
  readonly payment: Payment;
  readonly underReview: boolean;
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

/** Final. */
export interface Completed extends Recorded {
  readonly status: 'completed';
  readonly postedMinor: Minor;
}

export type RecordedCollection = Pending | InSuspense | Failed | Completed;

export type Collection = { readonly status: 'none' } | RecordedCollection;

type Fact = CollectionEvent & { readonly metadata: EventMetadata };

export const collectionDecider: Decider<Collection, CollectionEvent> = {
  types: collectionEventTypes,
  initial: { status: 'none' },
  evolve,
};

function evolve(state: Collection, event: Fact): Collection {
  if (event.type === 'CollectionIntentRecorded') {
    return {
      status: 'pending',
      intent: event.data,
      requestCommitment: commitmentOf(event.metadata),
      push: { kind: 'unknown' },
      payment: {},
      underReview: false,
    };
  }
  if (state.status === 'none') {
    throw new TypeError(`a collection's history begins with its intent, not with ${event.type}`);
  }
  return evolveRecorded(state, event);
}

/** Status changes on the events that carry legs or end hope, never on RailConfirmed alone. */
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
      return failed(state, event.data.failureCode);
    case 'RailConfirmed':
    case 'RailReceiptRecorded':
    case 'AmountMismatchRecorded':
      return { ...state, payment: { ...state.payment, ...paymentOf(event.data) } };
    case 'WalletPosted':
      return { ...recordedPart(state), status: 'completed', postedMinor: event.data.amountMinor };
    case 'SuspensePosted':
      return {
        ...recordedPart(state),
        underReview: true,
        status: 'in_suspense',
        arrivedMinor: event.data.amountMinor,
      };
    case 'ReviewFlagged':
      return { ...state, underReview: true };
    default:
      return never(event);
  }
}

/** @throws TypeError: no merchant's request is carried out without the evidence of it */
function commitmentOf({ commitment }: EventMetadata): string {
  if (commitment === undefined) throw new TypeError('an intent stands without a commitment');
  return commitment;
}

function failed(state: Recorded, failureCode: string): Failed {
  return { ...recordedPart(state), status: 'failed', failureCode };
}

function recordedPart({
  intent,
  requestCommitment,
  push,
  payment,
  underReview,
}: Recorded): Recorded {
  return { intent, requestCommitment, push, payment, underReview };
}

function paymentOf({ receipt, paidAt }: Payment): Payment {
  return {
    ...(receipt === undefined ? {} : { receipt }),
    ...(paidAt === undefined ? {} : { paidAt }),
  };
}
