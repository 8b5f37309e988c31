import { assertNever, type Result } from '#domain/kernel';
import {
  payoutLegs,
  type StandingReservation,
  type WalletPosted,
  walletPosted,
} from '#domain/ledger';
import { stillAsked } from '#domain/reviews';
import { boundTo, type FailedPayout, type Payout, type Started } from '../payout.js';
import {
  type PayoutEvent,
  type PayoutRejected,
  type PayoutReserved,
  type PayoutReviewFlagged,
  type PayoutReviewReason,
  type RejectionReason,
} from '../payout.events.js';

/**
 * Lists a payout for review, once, if it was never sent by the log but the records know that the rail was given it. Its
 * money may be gone, so nothing of it is released (PAY-61).
 */
export function decideKeepGiven(state: Payout): readonly PayoutReviewFlagged[] {
  switch (state.status) {
    case 'requested':
    case 'reserved':
    case 'approved':
    case 'rejected':
      return state.givenBefore === undefined
        ? [{ type: 'ReviewFlagged', data: { why: 'given_before' } }]
        : [];
    case 'none':
    case 'started':
    case 'completed':
    case 'failed':
      return [];
    default:
      return assertNever(state);
  }
}

/**
 * True if nothing of the payout may be rejected or released: the rail was given it, and operators have not decided on
 * that since (PAY-61).
 * @param wasGiven true if the records know that the rail was given it
 */
export function isKept(wasGiven: boolean, state: Payout): boolean {
  return wasGiven && (state.status === 'none' || state.givenBefore !== 'decided');
}

/** The reasons why the money of a recorded payout cannot be reserved. */
export type UnreservedReason = Extract<RejectionReason, 'insufficient_funds' | 'already_refunded'>;

/**
 * Decides the events that the reservation's result adds to a payout that waits for it; none if another process has
 * added them.
 * @param wasGiven true if the records know that the rail was given it
 */
export function decideReservation(
  reserved: Result<Pick<StandingReservation, 'revision'>, UnreservedReason>,
  wasGiven: boolean,
  state: Payout,
): readonly (PayoutReserved | PayoutRejected | PayoutReviewFlagged)[] {
  if (state.status !== 'requested') return [];
  if (reserved.ok) {
    const reservationsRevision = reserved.value.revision.toString();
    return [{ type: 'PayoutReserved', data: { reservationsRevision } }];
  }
  if (isKept(wasGiven, state)) return decideKeepGiven(state);
  return [
    { type: 'PayoutRejected', data: { reason: reserved.refusal, ...boundTo(state.request) } },
  ];
}

/** Questions that the payout's own success does not answer, because the rail reported other money as well. */
const unansweredByPayment: readonly PayoutReviewReason[] = [
  'payout_amount_differs',
  'second_receipt',
];

/** The questions that are asked again together with its posting. */
export function stillAskedOncePaid(state: Started | FailedPayout): readonly PayoutEvent[] {
  return stillAsked(state, unansweredByPayment);
}

/**
 * The posting of a success that was reported after its decline, once its funds are reserved. It is flagged for review,
 * unless two operators have just decided so. Questions from between their decision and the posting are asked in any
 * case.
 */
export function decidePostLate(state: Payout): readonly PayoutEvent[] {
  if (state.status !== 'failed' || !state.paidLate) return [];
  const posting = payoutPosting(state, state.railCommitment);
  const late: PayoutEvent = { type: 'ReviewFlagged', data: { why: 'paid_after_decline' } };
  const isDecided = state.paidLate.by === 'operator';
  return [posting, ...(isDecided ? [] : [late]), ...stillAskedOncePaid(state)];
}

/** The single posting of a payout. */
export function payoutPosting(
  { request, requestCommitment }: Started | FailedPayout,
  railCommitment: string | undefined,
): WalletPosted {
  const { channel: rail, accountNo, amountMinor, feeMinor } = request;
  const legs = payoutLegs({ rail, accountNo, amountMinor, feeMinor });
  return walletPosted(request, { legs, requestCommitment, railCommitment });
}
