import {
  type FoundPayment,
  isSameOperator,
  type OvertakingRefusal,
  type Ruling,
  type TwoOperators,
} from '#domain/reviews';
import { assertNever, ok, refuse, type Result } from '#domain/kernel';
import { isStoppable, waitsForItsBatch } from '../cancel/cancel-payout.decide.js';
import { declined } from '../confirm/confirm-payout.decide.js';
import { payoutPosting } from '../funds/payout-funds.decide.js';
import { boundTo, type Payout, type RecordedPayout } from '../payout.js';
import { type PayoutEvent, type PayoutReviewFlagged, type PayoutRuling } from '../payout.events.js';

/** The `failure_code` of a payout for which operators found no payment. */
const notPaid = 'not_paid';
/** The rail's own code for a successful payment. */
const paidResultCode = '0';

/**
 * The reason why a ruling is refused. `not_possible`: not for a payout in this state. `amount_differs`: a payout is
 * posted as it was requested, and any difference in the rail's payment is a correction.
 */
export type PayoutRulingRefusal =
  OvertakingRefusal | 'unknown_payout' | 'amount_differs' | 'same_operator';

/** The possible rulings on the payout now; none if it is not under review. */
export function possiblePayoutRulings(state: Payout): readonly PayoutRuling[] {
  if (state.status === 'none' || !state.underReview) return [];
  switch (state.status) {
    case 'approved':
      // Nothing was sent, so nothing was paid.
      return ['failed'];
    case 'started':
      return ['paid', 'failed'];
    case 'failed':
      // The reported payment is posted already, or is about to be.
      return state.paidLate ? [] : ['paid', 'failed'];
    case 'completed':
      return ['paid'];
    case 'rejected':
      // Any payment of the rail for it needs a correction.
      return ['failed'];
    case 'requested':
    case 'reserved':
      // Before an approval, a payout is under review only if the rail was given it in a history that the log has lost
      // (PAY-61).
      return ['failed'];
    default:
      return assertNever(state);
  }
}

/** True if `paid` posts the payout, and so needs the payment from the rail's statement. */
export function isPayoutOpenToPayment({ status }: Payout): boolean {
  return status === 'started' || status === 'failed';
}

/** Checks that the ruling could take effect on the payout, for any operators. */
export function checkPayoutRuling(
  ruling: Ruling,
  state: Payout,
): Result<RecordedPayout, PayoutRulingRefusal> {
  if (state.status === 'none') return refuse('unknown_payout');
  if (!state.underReview) return refuse('not_under_review');
  const possible: readonly string[] = possiblePayoutRulings(state);
  if (!possible.includes(ruling.decision)) return refuse('not_possible');
  const payment = ruling.decision === 'paid' ? ruling.payment : undefined;
  if (ruling.decision !== 'paid') return ok(state);
  if (!isPayoutOpenToPayment(state)) return payment ? refuse('payment_not_asked') : ok(state);
  if (!payment) return refuse('payment_missing');
  return payment.amountMinor === state.request.amountMinor ? ok(state) : refuse('amount_differs');
}

/**
 * Decides the event of a review that an operator opens, because they found the payment on the rail's statement before
 * the payout was listed. If it is under review already, nothing is added.
 */
export function decideOpenPayoutReview(
  payment: FoundPayment,
  state: Payout,
): Result<readonly PayoutReviewFlagged[], PayoutRulingRefusal> {
  if (state.status === 'none') return refuse('unknown_payout');
  if (!isPayoutOpenToPayment(state)) return refuse('not_possible');
  const listed = { ...state, underReview: true };
  const checked = checkPayoutRuling({ decision: 'paid', payment }, listed);
  if (!checked.ok) return checked;
  return ok(
    state.underReview ? [] : [{ type: 'ReviewFlagged', data: { why: 'opened_by_operator' } }],
  );
}

/**
 * Decides the events of two operators' decision: ReviewDecided and, in the same append, its consequences, the same as
 * the rail's own report would add (PAY-32). `PayoutFunds` then releases the reservation, or reserves again.
 */
export function decidePayoutReview(
  ruling: Ruling,
  { reason, proposedBy, confirmedBy }: TwoOperators,
  state: Payout,
): Result<readonly PayoutEvent[], PayoutRulingRefusal> {
  const checked = checkPayoutRuling(ruling, state);
  if (!checked.ok) return checked;
  if (isSameOperator(proposedBy, confirmedBy)) return refuse('same_operator');
  const [decision, effects] =
    ruling.decision === 'paid'
      ? (['paid', afterPaid(ruling.payment, checked.value)] as const)
      : (['failed', afterFailed(checked.value)] as const);
  const data = { decision, reason, proposedBy, confirmedBy };
  return ok([{ type: 'ReviewDecided', data }, ...effects]);
}

/** For a payout that is completed already, the ruling only means that the posting is right. */
function afterPaid(
  payment: FoundPayment | undefined,
  state: RecordedPayout,
): readonly PayoutEvent[] {
  if (!payment || (state.status !== 'started' && state.status !== 'failed')) return [];
  const confirmed: PayoutEvent = {
    type: 'RailConfirmed',
    data: { by: 'operator', resultCode: paidResultCode, ...payment },
  };
  // After a decline the funds are reserved again first.
  return state.status === 'started' ? [confirmed, payoutPosting(state, undefined)] : [confirmed];
}

/** A failed payout stays failed, with its own code. */
function afterFailed(state: RecordedPayout): readonly PayoutEvent[] {
  if (state.status === 'started') return [declined('operator', notPaid)];
  // A payout that waits for its batch ends with it, because it no longer prevents the batch's rejection.
  if (!isStoppable(state) || waitsForItsBatch(state)) return [];
  return [{ type: 'PayoutRejected', data: { reason: 'not_sent', ...boundTo(state.request) } }];
}
