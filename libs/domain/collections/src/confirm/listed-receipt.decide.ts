import { type Minor, ok, refuse, type Result } from '#domain/kernel';
import { type Collection, type RecordedCollection } from '../collection.js';
import { asked } from '#domain/reviews';
import { type CollectionEvent } from '../collection.events.js';

/** A payment with the collection's code in the rail's list of payments. */
export interface ListedPayment {
  readonly receipt: string;
  readonly amountMinor: Minor;
}

/**
 * Decides the effect of the rail's list on a collection whose money the ledger holds (REC-21).
 *
 * If it was settled without a receipt, a payment of the same amount is that money, and its receipt is recorded. Any
 * other payment with the code is then other money. The rail's time is left out, because its zone is uncertain in the
 * list. Another receipt or amount is flagged for review. The list never causes a posting.
 */
export function decideListedReceipt(
  { receipt, amountMinor }: ListedPayment,
  state: Collection,
): Result<readonly CollectionEvent[], 'unknown_collection'> {
  if (state.status === 'none') return refuse('unknown_collection');
  const heldMinor = heldIn(state);
  const known = state.payment.receipt;
  if (known !== undefined && (heldMinor !== undefined || state.status === 'refunded'))
    return ok(known === receipt ? [] : asked('second_receipt', state));
  if (heldMinor === undefined) return ok([]);
  return ok(
    amountMinor === heldMinor
      ? [{ type: 'RailReceiptRecorded', data: { receipt, amountMinor } }]
      : asked('receipt_amount_differs', state),
  );
}

/**
 * True if the payment is the collection's own. That includes a payment of a collection that was returned without a
 * known receipt.
 * @param state after the decision
 */
export function isOwnPayment({ receipt }: ListedPayment, state: Collection): boolean {
  if (state.status === 'none') return false;
  const known = state.payment.receipt;
  return known === receipt || (known === undefined && state.status === 'refunded');
}

/** The amount posted or in suspense; undefined if the ledger holds nothing. */
function heldIn(state: RecordedCollection): Minor | undefined {
  if (state.status === 'completed') return state.postedMinor;
  return state.status === 'in_suspense' ? state.arrivedMinor : undefined;
}
