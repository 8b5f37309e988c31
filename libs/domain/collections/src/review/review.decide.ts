import { type Minor, assertNever, ok, refuse, type Result } from '#domain/kernel';
import { feeFor, type FeeSchedule, suspenseReturnLegs, suspenseToWalletLegs } from '#domain/ledger';
import {
  type Deciders,
  isSameOperator,
  type OvertakingRefusal,
  type ReviewDecision,
  type Ruling,
} from '#domain/reviews';
import {
  type Collection,
  type Failed,
  type InSuspense,
  type Pending,
  type RecordedCollection,
} from '../collection.js';
import {
  type CollectionEvent,
  type ReviewDecided,
  type SuspenseResolved,
} from '../collection.events.js';
import { moneyArrived } from '../confirm/confirm-collection.decide.js';

/**
 * The reason why a ruling is refused. `not_possible`: not for a collection in this state. `unknown_account`: the
 * merchant's terms, which determine the fee, are not known.
 */
export type RulingRefusal =
  | OvertakingRefusal
  | 'unknown_collection'
  | 'invalid_amount'
  | 'second_operator_needed'
  | 'same_operator'
  | 'unknown_account';

/** The `failure_code` of a collection for which an operator found no payment. */
const notPaid = 'not_paid';
/** The rail's own code for a successful payment. */
const paidResultCode = '0';

/** Two operators must agree if money moves, or if money that arrived is given up. */
export function needsTwoOperators(decision: ReviewDecision): boolean {
  return decision !== 'failed';
}

/** The possible decisions on the collection now; none if it is not under review. */
export function possibleDecisions(state: Collection): readonly ReviewDecision[] {
  if (state.status === 'none' || !state.underReview) return [];
  switch (state.status) {
    case 'pending':
    case 'failed':
      return ['paid', 'failed'];
    case 'in_suspense':
      return ['suspense_to_merchant', 'refunded'];
    case 'completed':
      // The posting is right, or the extra money was returned outside the ledger.
      return ['paid', 'refunded'];
    case 'refunded':
      return ['refunded'];
    default:
      return assertNever(state);
  }
}

/** Checks that the ruling could take effect on the collection, for any operators. */
export function checkRuling(
  ruling: Ruling,
  state: Collection,
): Result<RecordedCollection, RulingRefusal> {
  if (state.status === 'none') return refuse('unknown_collection');
  if (!state.underReview) return refuse('not_under_review');
  if (!possibleDecisions(state).includes(ruling.decision)) return refuse('not_possible');
  if (ruling.decision !== 'paid') return ok(state);
  const { payment } = ruling;
  if (!isOpenToPayment(state)) return payment ? refuse('payment_not_asked') : ok(state);
  if (!payment) return refuse('payment_missing');
  return payment.amountMinor < 1n ? refuse('invalid_amount') : ok(state);
}

/**
 * Returns the events of an operator's decision: ReviewDecided and, in the same append, its consequences, the same as
 * the rail's own report would add (REV-3).
 * @param feeSchedule the merchant's current one, for money that leaves suspense for the wallet; undefined if unknown
 */
export function decideReview(
  ruling: Ruling,
  deciders: Deciders,
  state: Collection,
  feeSchedule: FeeSchedule | undefined,
): Result<readonly CollectionEvent[], RulingRefusal> {
  const checked = checkRuling(ruling, state);
  if (!checked.ok) return checked;
  const agreed = checkOperators(ruling, deciders);
  if (!agreed.ok) return agreed;
  const effects = effectsOf(ruling, checked.value, feeSchedule);
  return effects.ok ? ok([decided(ruling, deciders), ...effects.value]) : effects;
}

function checkOperators(
  { decision }: Ruling,
  { proposedBy, confirmedBy }: Deciders,
): Result<undefined, RulingRefusal> {
  if (!needsTwoOperators(decision)) return ok(undefined);
  if (confirmedBy === undefined) return refuse('second_operator_needed');
  return isSameOperator(proposedBy, confirmedBy) ? refuse('same_operator') : ok(undefined);
}

function decided({ decision }: Ruling, deciders: Deciders): ReviewDecided {
  const { reason, proposedBy, confirmedBy } = deciders;
  return {
    type: 'ReviewDecided',
    data: {
      decision,
      reason,
      proposedBy,
      ...(confirmedBy === undefined ? {} : { confirmedBy }),
    },
  };
}

/** True if no money is known: `paid` then posts the operator's amount. */
export function isOpenToPayment(state: Collection): state is Pending | Failed {
  return state.status === 'pending' || state.status === 'failed';
}

/** For a settled collection, the decision alone closes the review. */
function effectsOf(
  ruling: Ruling,
  state: RecordedCollection,
  feeSchedule: FeeSchedule | undefined,
): Result<readonly CollectionEvent[], RulingRefusal> {
  switch (state.status) {
    case 'pending':
    case 'failed':
      if (ruling.decision === 'paid' && ruling.payment) {
        const paid = { kind: 'paid', resultCode: paidResultCode, ...ruling.payment } as const;
        return ok(moneyArrived('operator', paid, state, undefined));
      }
      // A failed collection stays failed, with its own code.
      if (state.status === 'failed') return ok([]);
      return ok([{ type: 'RailDeclined', data: { by: 'operator', failureCode: notPaid } }]);
    case 'in_suspense':
      if (ruling.decision === 'refunded') return ok([returned(state)]);
      if (!feeSchedule) return refuse('unknown_account');
      return ok([released(state, feeFor(feeSchedule, state.arrivedMinor))]);
    case 'completed':
    case 'refunded':
      return ok([]);
    default:
      return assertNever(state);
  }
}

function released(state: InSuspense, feeMinor: Minor): SuspenseResolved {
  const { accountNo } = state.intent;
  const amountMinor = state.arrivedMinor;
  const legs = suspenseToWalletLegs({ accountNo, amountMinor, feeMinor });
  return { type: 'SuspenseResolved', data: { ...paymentOf(state), amountMinor, legs } };
}

function returned(state: InSuspense): SuspenseResolved {
  const amountMinor = state.arrivedMinor;
  const legs = suspenseReturnLegs({ rail: state.intent.channel, amountMinor });
  return { type: 'SuspenseResolved', data: { ...paymentOf(state), amountMinor, legs } };
}

/** The held money is the money that moves, with its receipt and the rail's time. */
function paymentOf({
  payment: { receipt, paidAt },
}: InSuspense): Pick<SuspenseResolved['data'], 'receipt' | 'paidAt'> {
  return {
    ...(receipt === undefined ? {} : { receipt }),
    ...(paidAt === undefined ? {} : { paidAt }),
  };
}
