import { type Minor, ok, refuse, type Result } from '#domain/kernel';
import { type Collection, type RecordedCollection } from '../collection.js';
import { type CollectionEvent } from '../collection.events.js';
import { asked } from '../review/questions.js';

/** A payment with the collection's code, as the rail's list of what it took has it. */
export interface ListedPayment {
  readonly receipt: string;
  readonly amountMinor: Minor;
}

/**
 * What the rail's list adds to a collection whose money the ledger holds (REC-21). Where it was settled without a
 * receipt, a payment of the same amount is that money, and its receipt is written down: then whatever else bears the code
 * is other money. The rail's time is left out, since its zone is not certain there. Another receipt or amount brings a
 * person. Nothing is posted on the list.
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

/** Whether the payment is the collection's own: what went back under no receipt was, too. @param state after the decision */
export function isOwnPayment({ receipt }: ListedPayment, state: Collection): boolean {
  if (state.status === 'none') return false;
  const known = state.payment.receipt;
  return known === receipt || (known === undefined && state.status === 'refunded');
}

/** What was posted or lies in suspense; undefined where the ledger holds nothing. */
function heldIn(state: RecordedCollection): Minor | undefined {
  if (state.status === 'completed') return state.postedMinor;
  return state.status === 'in_suspense' ? state.arrivedMinor : undefined;
}
