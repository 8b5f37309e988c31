import { type FoundPayment, isSameOperator, type Ruling } from '#domain/collections';
import { assertNever, ok, refuse, type Result } from '#domain/kernel';
import { isStoppable, waitsForItsBatch } from '../cancel/cancel-payout.decide.js';
import { declined } from '../confirm/confirm-payout.decide.js';
import { payoutPosting } from '../funds/payout-funds.decide.js';
import { type Payout, type RecordedPayout } from '../payout.js';
import { type PayoutEvent, type PayoutReviewFlagged, type PayoutRuling } from '../payout.events.js';

/** What a payout failed with of which operators found that nothing was paid: the `failure_code`. */
const notPaid = 'not_paid';
/** What the rail itself reports where a payment went through. */
const paidResultCode = '0';

/** Two operators: the proposer's reason and name, and who confirmed. */
export interface PayoutDeciders {
  readonly reason: string;
  readonly proposedBy: string;
  readonly confirmedBy: string;
}

/**
 * Why a ruling cannot be. `not_possible`: not of a payout in this state. `amount_differs`: a payout is posted as it was
 * asked for, and what the rail paid beyond or below it is a correction.
 */
export type PayoutRulingRefusal =
  | 'unknown_payout'
  | 'not_under_review'
  | 'not_possible'
  | 'payment_missing'
  | 'payment_not_asked'
  | 'amount_differs'
  | 'same_operator';

/** What can be decided of the payout now: nothing where it is not under review. */
export function possiblePayoutRulings(state: Payout): readonly PayoutRuling[] {
  if (state.status === 'none' || !state.underReview) return [];
  switch (state.status) {
    case 'approved':
      // Nothing was sent, so nothing was paid.
      return ['failed'];
    case 'started':
      return ['paid', 'failed'];
    case 'failed':
      // What the rail said that it paid is posted already, or is about to be.
      return state.paidLate ? [] : ['paid', 'failed'];
    case 'completed':
      return ['paid'];
    case 'rejected':
      // What the rail paid of it all the same is a correction.
      return ['failed'];
    case 'requested':
    case 'reserved':
      // Only what the rail was given in a history that the log has lost is under review before it is approved (PAY-61).
      return ['failed'];
    default:
      return assertNever(state);
  }
}

/** Whether `paid` posts the payout, and so needs the payment as the rail's statement has it. */
export function isPayoutOpenToPayment({ status }: Payout): boolean {
  return status === 'started' || status === 'failed';
}

/** Whether the ruling could take effect on the payout, whoever agrees to it. */
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
 * What opening a review by hand adds: an operator has found the payment on the rail's statement before the payout was
 * listed. Nothing to one that is under review already.
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
 * What two operators' decision adds to history: ReviewDecided and, in the same append, what follows from it, the same as
 * the rail's own report would add (PAY-32). What is reserved is then released, or reserved again, by `PayoutFunds`.
 */
export function decidePayoutReview(
  ruling: Ruling,
  { reason, proposedBy, confirmedBy }: PayoutDeciders,
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

/** Of a payout that is completed already it says that the posting stands. */
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

/** What has failed stays so, with the code that it has. */
function afterFailed(state: RecordedPayout): readonly PayoutEvent[] {
  if (state.status === 'started') return [declined('operator', notPaid)];
  // A payout that waits for its batch ends with it: nothing keeps the batch any more.
  if (!isStoppable(state) || waitsForItsBatch(state)) return [];
  const { amountMinor, phoneHmac } = state.request;
  return [{ type: 'PayoutRejected', data: { reason: 'not_sent', amountMinor, phoneHmac } }];
}
