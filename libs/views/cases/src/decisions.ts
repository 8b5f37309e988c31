import { type ReviewDecision } from '#domain/reviews';
import { isOpenToPayment, needsTwoOperators, possibleDecisions } from '#domain/collections';
import { assertNever } from '#domain/kernel';
import { isPayoutOpenToPayment, type PayoutRuling, possiblePayoutRulings } from '#domain/payouts';
import { type Item } from './item.js';
import { type CollectionCase, type PayoutCase } from './cases.js';

/** The effect of each decision in English, for the command line. */
export const decisionMeanings = {
  paid_posts: 'it was paid: posts it; if the amount is not the one asked for, holds it in suspense',
  paid_stands: 'the posting is right: ends the review, moves no money',
  failed_ends: 'it was not paid: ends the review; money that came late would still be posted',
  failed_fails: 'it was not paid: fails at once; money that came late would still be posted',
  suspense_to_merchant: 'the money that arrived is the merchant’s: posts it, less the fee on it',
  refunded_suspense:
    'the money that arrived went back to the customer: takes it out of suspense, and the collection fails',
  refunded_outside:
    'the additional money went back to the customer, outside the ledger: ends the review, moves nothing',
  payout_paid_late: 'it was paid after all: reserves it again, whatever is available, and posts it',
  payout_paid_posts: 'it was paid: posts it',
  payout_failed_unsent: 'it will not be sent: rejects it and frees its money',
  payout_failed_ends:
    'it was not paid: ends the review; a success that is reported later would still be posted',
  payout_failed_frees:
    'it was not paid: frees its money. If it was paid, that money can be spent twice',
} as const;

export type DecisionMeaning = keyof typeof decisionMeanings;

/** A decision that is possible now: its effect, and the command to type. */
export interface PossibleDecision {
  readonly decision: ReviewDecision;
  readonly meaning: DecisionMeaning;
  readonly means: string;
  readonly command: string;
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
    const payment = isOpen ? ` --receipt RECEIPT --amount ${amountMinor} [--paid-at TIME]` : '';
    return {
      decision,
      meaning,
      means: decisionMeanings[meaning],
      twoOperators: true,
      command: resolveCommand(found, decision, payment),
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
    const payment = isOpen ? ' --receipt RECEIPT --amount MINOR [--paid-at TIME]' : '';
    return {
      decision,
      meaning,
      means: decisionMeanings[meaning],
      command: resolveCommand(found, decision, payment),
      twoOperators: needsTwoOperators(decision),
      payment: isOpen ? 'any_amount' : 'none',
    };
  });
}

/**
 * The command names no person: the actor is the signed-in person or, if no issuer is set, the one named by `--as`
 * (PEO-11).
 */
function resolveCommand(item: Item, decision: ReviewDecision, payment: string): string {
  return `npx pesapost review resolve ${target(item)} --decision ${decision}${payment} --reason "WHY"`;
}

/** Returns the command that confirms the open proposal. */
export function confirmCommand(item: Item, proposalId: string): string {
  return `npx pesapost review confirm ${target(item)} --proposal ${proposalId}`;
}

/** References need no quotes in a shell: COL-7 lists their characters. */
function target({ type, key: { reference, merchantId, mode } }: Item): string {
  const which = type === 'payout' ? ' --type payout' : '';
  return `${reference}${which} --merchant ${merchantId} --mode ${mode}`;
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
