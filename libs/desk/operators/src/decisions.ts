import { type ReviewDecision } from '#domain/reviews';
import { isOpenToPayment, needsTwoOperators, possibleDecisions } from '#domain/collections';
import { assertNever } from '#domain/kernel';
import { isPayoutOpenToPayment, type PayoutRuling, possiblePayoutRulings } from '#domain/payouts';
import { type CollectionCase, type PayoutCase } from './cases.js';

/** The effect of a decision. */
export type DecisionMeaning =
  | 'paid_posts'
  | 'paid_stands'
  | 'failed_ends'
  | 'failed_fails'
  | 'suspense_to_merchant'
  | 'refunded_suspense'
  | 'refunded_outside'
  | 'payout_paid_late'
  | 'payout_paid_posts'
  | 'payout_failed_unsent'
  | 'payout_failed_ends'
  | 'payout_failed_frees';

/** A decision that is possible now, and its effect. */
export interface PossibleDecision {
  readonly decision: ReviewDecision;
  readonly meaning: DecisionMeaning;
  readonly twoOperators: boolean;
  /** `none` if it names no payment from the rail's statement. A payout's amount is its own. */
  readonly payment: 'none' | 'any_amount' | { readonly amountMinor: bigint };
}

type Decided =
  Pick<CollectionCase, 'type' | 'state' | 'key'> | Pick<PayoutCase, 'type' | 'state' | 'key'>;

export function decisionsFor(found: Decided): readonly PossibleDecision[] {
  return found.type === 'payout' ? payoutDecisions(found) : collectionDecisions(found);
}

function payoutDecisions(found: Extract<Decided, { type: 'payout' }>): readonly PossibleDecision[] {
  const { state } = found;
  const { amountMinor } = state.request;
  return possiblePayoutRulings(state).map((decision) => {
    const meaning = payoutMeaning(decision, state);
    const isOpen = decision === 'paid' && isPayoutOpenToPayment(state);
    return {
      decision,
      meaning,
      twoOperators: true,
      payment: isOpen ? { amountMinor } : 'none',
    };
  });
}

function collectionDecisions(
  found: Extract<Decided, { type: 'collection' }>,
): readonly PossibleDecision[] {
  const { state } = found;
  return possibleDecisions(state).map((decision) => {
    const meaning = collectionMeaning(decision, state);
    const isOpen = decision === 'paid' && isOpenToPayment(state);
    return {
      decision,
      meaning,
      twoOperators: needsTwoOperators(decision),
      payment: isOpen ? 'any_amount' : 'none',
    };
  });
}

function payoutMeaning(decision: PayoutRuling, { status }: PayoutCase['state']): DecisionMeaning {
  switch (decision) {
    case 'paid':
      if (status === 'completed') return 'paid_stands';
      return status === 'failed' ? 'payout_paid_late' : 'payout_paid_posts';
    case 'failed':
      if (status === 'approved') return 'payout_failed_unsent';
      return status === 'failed' ? 'payout_failed_ends' : 'payout_failed_frees';
    default:
      return assertNever(decision);
  }
}

function collectionMeaning(
  decision: ReviewDecision,
  state: CollectionCase['state'],
): DecisionMeaning {
  switch (decision) {
    case 'paid':
      return isOpenToPayment(state) ? 'paid_posts' : 'paid_stands';
    case 'failed':
      return state.status === 'failed' ? 'failed_ends' : 'failed_fails';
    case 'suspense_to_merchant':
      return 'suspense_to_merchant';
    case 'refunded':
      return state.status === 'in_suspense' ? 'refunded_suspense' : 'refunded_outside';
    default:
      return assertNever(decision);
  }
}
