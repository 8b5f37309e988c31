import { assertNever, type Minor } from '#domain/kernel';
import { type Collection, type RecordedCollection } from './collection.js';

/** The API vocabulary of a collection's status (COL-27). */
export type CollectionStatus = 'pending' | 'completed' | 'failed';

/** A collection as the answer to its creation shows it. */
export interface CollectionView {
  readonly status: CollectionStatus;
  readonly reference: string;
  /** Absent: it is not known whether a prompt was shown. */
  readonly railReference?: string;
  /** What was posted where money was posted, else what was asked for. */
  readonly amountMinor: Minor;
  readonly currency: string;
}

/** @throws TypeError for a collection without history: only a stream that was read or written has a view. */
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

/** Money in suspense may still become the merchant's; money that went back never does. */
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
