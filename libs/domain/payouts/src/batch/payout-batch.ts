import { type Decider, type EventMetadata } from '#domain/event-sourcing';
import { assertNever, type Minor } from '#domain/kernel';
import { type Acting, actingAs } from '../decide/known-deciders.js';
import {
  type BatchRejectionReason,
  type PayoutBatchEvent,
  payoutBatchEventTypes,
  type PayoutBatchRejected,
  type PayoutBatchRequested,
} from './payout-batch.events.js';

/** The merchant's request, as the first event has it. */
export type PayoutBatchRequest = PayoutBatchRequested['data'];

interface Recorded {
  readonly request: PayoutBatchRequest;
}

/** Requested: its payouts are being recorded and reserved, or wait for a second holder. */
export interface RequestedBatch extends Recorded {
  readonly status: 'requested';
  readonly asker: Acting;
}

/** From here on each payout proceeds on its own. */
export interface ApprovedBatch extends Recorded {
  readonly status: 'approved';
  readonly approvedBy: string;
}

/** Approved, and then stopped: payouts that were given to the rail proceed, and the others are rejected. */
export interface CancelledBatch extends Recorded {
  readonly status: 'cancelled';
  readonly approvedBy: string;
  readonly cancelledBy?: string;
}

/** Final: nothing was sent, and nothing stays reserved. */
export interface RejectedBatch extends Recorded {
  readonly status: 'rejected';
  readonly reason: BatchRejectionReason;
  readonly rejectedBy?: string;
}

export type RecordedBatch = RequestedBatch | ApprovedBatch | CancelledBatch | RejectedBatch;

export type PayoutBatch = { readonly status: 'none' } | RecordedBatch;

export const payoutBatchDecider: Decider<PayoutBatch, PayoutBatchEvent> = {
  types: payoutBatchEventTypes,
  initial: { status: 'none' },
  evolve,
};

function evolve(
  state: PayoutBatch,
  event: PayoutBatchEvent & { readonly metadata: EventMetadata },
): PayoutBatch {
  if (event.type === 'PayoutBatchRequested') {
    const asker = actingAs(event.data.holder, event.metadata.actor);
    return { status: 'requested', request: event.data, asker };
  }
  if (state.status === 'approved' && isCancellation(event)) {
    const { request, approvedBy } = state;
    const { holder } = event.data;
    const by = holder === undefined ? {} : { cancelledBy: holder };
    return { request, status: 'cancelled', approvedBy, ...by };
  }
  if (state.status !== 'requested')
    throw new TypeError(`a batch that is ${state.status} cannot have ${event.type}`);
  const { request } = state;
  switch (event.type) {
    case 'PayoutBatchApproved':
      return { request, status: 'approved', approvedBy: event.data.holder };
    case 'PayoutBatchRejected': {
      const { reason, holder } = event.data;
      const decided = holder === undefined ? {} : { rejectedBy: holder };
      return { request, status: 'rejected', reason, ...decided };
    }
    default:
      return assertNever(event);
  }
}

/** True once the batch is cancelled. Its senders need nothing else of it (PAY-46). */
export const batchCancelledDecider: Decider<boolean, PayoutBatchEvent> = {
  types: payoutBatchEventTypes,
  initial: false,
  evolve: (isCancelled, event) => isCancelled || isCancellation(event),
};

function isCancellation(event: PayoutBatchEvent): event is PayoutBatchRejected {
  return event.type === 'PayoutBatchRejected' && event.data.reason === 'cancelled';
}

/** The status of the batch as a whole. Once it is approved, each payout has its own status. */
export type PayoutBatchStatus = 'pending_approval' | 'pending' | 'rejected';

/** A batch as the API shows it (PAY-16). */
export interface PayoutBatchView {
  readonly reference: string;
  readonly status: PayoutBatchStatus;
  readonly count: number;
  /** Without fees. */
  readonly amountMinor: Minor;
  readonly currency: string;
}

const statuses = {
  requested: 'pending_approval',
  approved: 'pending',
  // Some of its payouts may be paid, and "rejected" would invite a person to pay them again.
  cancelled: 'pending',
  rejected: 'rejected',
} as const satisfies Record<RecordedBatch['status'], PayoutBatchStatus>;

/** @throws TypeError for a batch without history, since only a stream that was read or written has a view */
export function payoutBatchViewOf(state: PayoutBatch): PayoutBatchView {
  if (state.status === 'none') throw new TypeError('a batch without a request has no view');
  const { reference, count, amountMinor, currency } = state.request;
  return { reference, status: statuses[state.status], count, amountMinor, currency };
}
