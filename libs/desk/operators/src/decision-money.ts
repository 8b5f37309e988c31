import { type Minor } from '#domain/kernel';
import { feeFor, type FeeSchedule } from '#domain/ledger';
import { type Case } from './cases.js';
import { type ItemType } from './item.js';

/** The facts that determine the money of a decision. Amounts in minor units. */
export interface DecidedMoney {
  readonly type: ItemType;
  readonly decision: string;
  /** The amount that the decision names; null if it names none. */
  readonly namedMinor: Minor | null;
  readonly requestedMinor: Minor;
  /** The fee on the requested amount, which the request fixed. */
  readonly requestedFeeMinor: Minor;
  /** The amount that waits in suspense; null if none does. */
  readonly heldMinor: Minor | null;
  /** The account's current fee schedule, for money that leaves suspense; undefined if it is not known. */
  readonly fees: FeeSchedule | undefined;
}

/**
 * The money that a decision posts, in minor units.
 * - `to_wallet`: the wallet receives the amount less the fee.
 * - `from_wallet`: a payout takes the amount and the fee from the wallet.
 * - `held`: another amount than was requested. It waits in suspense for a second decision, without a fee.
 * - `fee_unknown`: the wallet receives the amount less a fee that cannot be read at the moment.
 */
export type DecisionMoney =
  | {
      readonly kind: 'to_wallet' | 'from_wallet';
      readonly amountMinor: Minor;
      readonly feeMinor: Minor;
      readonly walletMinor: Minor;
    }
  | { readonly kind: 'held' | 'fee_unknown'; readonly amountMinor: Minor };

/** Returns the money that the decision posts; undefined if no wallet and no suspense account receives any. */
export function decisionMoney(of: DecidedMoney): DecisionMoney | undefined {
  const { type, decision, namedMinor, requestedMinor, requestedFeeMinor } = of;
  if (decision === 'suspense_to_merchant') return fromSuspense(of);
  if (decision !== 'paid' || namedMinor === null) return undefined;
  const agreed = { amountMinor: requestedMinor, feeMinor: requestedFeeMinor };
  if (type === 'payout')
    return { kind: 'from_wallet', ...agreed, walletMinor: requestedMinor + requestedFeeMinor };
  if (namedMinor !== requestedMinor) return { kind: 'held', amountMinor: namedMinor };
  return { kind: 'to_wallet', ...agreed, walletMinor: requestedMinor - requestedFeeMinor };
}

/** The fee is that of the account's current schedule on the amount that arrived (REV-3). */
function fromSuspense({ heldMinor, fees }: DecidedMoney): DecisionMoney | undefined {
  if (heldMinor === null) return undefined;
  if (!fees) return { kind: 'fee_unknown', amountMinor: heldMinor };
  const feeMinor = feeFor(fees, heldMinor);
  return { kind: 'to_wallet', amountMinor: heldMinor, feeMinor, walletMinor: heldMinor - feeMinor };
}

/**
 * Returns the money that a decision about the item posts.
 * @param namedMinor the amount that the decision names; null if it names none
 */
export function caseMoney(
  found: Case,
  { decision, namedMinor }: Pick<DecidedMoney, 'decision' | 'namedMinor'>,
): DecisionMoney | undefined {
  const { amountMinor, feeMinor } =
    found.type === 'payout' ? found.state.request : found.state.intent;
  const { type, state } = found;
  return decisionMoney({
    type,
    decision,
    namedMinor,
    requestedMinor: amountMinor,
    requestedFeeMinor: feeMinor,
    heldMinor: state.status === 'in_suspense' ? state.arrivedMinor : null,
    fees: found.type === 'collection' ? found.fees : undefined,
  });
}
