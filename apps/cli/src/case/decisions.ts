import {
  isOpenToPayment,
  needsTwoOperators,
  possibleDecisions,
  type ReviewDecision,
} from '#domain/collections';
import { assertNever } from '#domain/kernel';
import { isPayoutOpenToPayment, type PayoutRuling, possiblePayoutRulings } from '#domain/payouts';
import { type Item } from './item.js';
import { type CollectionCase, type PayoutCase } from './load-case.js';

/** A decision that is possible now: what it does, and what to type. */
export interface PossibleDecision {
  readonly decision: ReviewDecision;
  readonly means: string;
  readonly command: string;
  readonly twoOperators: boolean;
}

type Decided =
  Pick<CollectionCase, 'type' | 'state' | 'key'> | Pick<PayoutCase, 'type' | 'state' | 'key'>;

export function decisionsFor(found: Decided): readonly PossibleDecision[] {
  if (found.type === 'payout')
    return possiblePayoutRulings(found.state).map((decision) => ({
      decision,
      means: payoutMeaning(decision, found.state),
      command: resolveCommand(
        found,
        decision,
        decision === 'paid' && isPayoutOpenToPayment(found.state)
          ? ` --receipt RECEIPT --amount ${found.state.request.amountMinor} [--paid-at TIME]`
          : '',
      ),
      twoOperators: true,
    }));
  const { state } = found;
  return possibleDecisions(state).map((decision) => ({
    decision,
    means: meaning(decision, state),
    command: resolveCommand(
      found,
      decision,
      decision === 'paid' && isOpenToPayment(state)
        ? ' --receipt RECEIPT --amount MINOR [--paid-at TIME]'
        : '',
    ),
    twoOperators: needsTwoOperators(decision),
  }));
}

function resolveCommand(item: Item, decision: ReviewDecision, payment: string): string {
  return `npx pesapost review resolve ${target(item)} --decision ${decision}${payment} --as YOU --reason "WHY"`;
}

/** What to type to confirm the proposal that waits. */
export function confirmCommand(item: Item, proposalId: string): string {
  return `npx pesapost review confirm ${target(item)} --proposal ${proposalId} --as ANOTHER`;
}

/** References need no quotes in a shell: COL-7 says of which characters they are. */
function target({ type, key: { reference, merchantId, mode } }: Item): string {
  const which = type === 'payout' ? ' --type payout' : '';
  return `${reference}${which} --merchant ${merchantId} --mode ${mode}`;
}

function payoutMeaning(decision: PayoutRuling, { status }: PayoutCase['state']): string {
  switch (decision) {
    case 'paid':
      if (status === 'completed') return 'the posting stands: ends the review, moves nothing';
      return status === 'failed'
        ? 'it was paid after all: reserves it again, whatever is available, and posts it'
        : 'it was paid: posts it';
    case 'failed':
      if (status === 'approved') return 'it will not be sent: rejects it and frees its money';
      return status === 'failed'
        ? 'it was not paid: ends the review; a success that is told later would still be posted'
        : 'it was not paid: frees its money. Where it was paid, that money can be spent twice';
    default:
      return assertNever(decision);
  }
}

function meaning(decision: ReviewDecision, state: CollectionCase['state']): string {
  switch (decision) {
    case 'paid':
      return isOpenToPayment(state)
        ? 'it was paid: posts it; where the amount is another than asked for, holds it in suspense'
        : 'the posting stands: ends the review, moves nothing';
    case 'failed':
      return state.status === 'failed'
        ? 'it was not paid: ends the review; money that came late would still be posted'
        : 'it was not paid: fails at once; money that came late would still be posted';
    case 'suspense_to_merchant':
      return 'what arrived is the merchant’s: posts it, less the fee on it';
    case 'refunded':
      return state.status === 'in_suspense'
        ? 'what arrived went back to the customer: takes it out of suspense, and the collection fails'
        : 'what came on top went back to the customer, outside the ledger: ends the review, moves nothing';
    default:
      return assertNever(decision);
  }
}
