import {
  isOpenToPayment,
  needsTwoOperators,
  possibleDecisions,
  type ReviewDecision,
} from '#domain/collections';
import { assertNever } from '#domain/kernel';
import { type Case } from './load-case.js';

/** A decision that is possible now: what it does, and what to type. */
export interface PossibleDecision {
  readonly decision: ReviewDecision;
  readonly means: string;
  readonly command: string;
  readonly twoOperators: boolean;
}

export function decisionsFor({
  state,
  key,
}: Pick<Case, 'state' | 'key'>): readonly PossibleDecision[] {
  return possibleDecisions(state).map((decision) => ({
    decision,
    means: meaning(decision, state),
    command:
      `npx pesapost review resolve ${target(key)} --decision ${decision}` +
      (decision === 'paid' && isOpenToPayment(state)
        ? ' --receipt RECEIPT --amount MINOR [--paid-at TIME]'
        : '') +
      ' --as YOU --reason "WHY"',
    twoOperators: needsTwoOperators(decision),
  }));
}

/** What to type to confirm the proposal that waits. */
export function confirmCommand(key: Case['key'], proposalId: string): string {
  return `npx pesapost review confirm ${target(key)} --proposal ${proposalId} --as ANOTHER`;
}

/** References need no quotes in a shell: COL-7 says of which characters they are. */
function target({ reference, merchantId, mode }: Case['key']): string {
  return `${reference} --merchant ${merchantId} --mode ${mode}`;
}

function meaning(decision: ReviewDecision, state: Case['state']): string {
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
