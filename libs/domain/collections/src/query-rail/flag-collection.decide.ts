import { assertNever, ok, refuse, type Result } from '#domain/kernel';
import { type Collection, type RecordedCollection } from '../collection.js';
import { type ReviewFlagged, type ReviewReason } from '../collection.events.js';

/**
 * Why the worker, or an operator, gives a collection to people:
 * - `no_word_from_rail`: nothing was heard for RAIL_REVIEW_AFTER.
 * - `amount_unreadable`: a query's "paid" was posted, and the callback's amount, which might have told of other
 *   money, cannot be read.
 * - `checkout_of_another`: the rail named one checkout id for it and for another collection, in its answers to the pushes
 *   or in its own callback; both are flagged.
 * - `duplicate_receipt`: another collection, or a correction, bears its receipt.
 * - `opened_by_operator`: an operator has found it on the rail's statement.
 * - `found_at_rail`: the rail says that it took a payment with its code, and no query settled it.
 */
export type FlagReason = Extract<
  ReviewReason,
  | 'no_word_from_rail'
  | 'amount_unreadable'
  | 'checkout_of_another'
  | 'duplicate_receipt'
  | 'opened_by_operator'
  | 'found_at_rail'
>;

/** Flagged once, and only while the reason holds: whatever was heard meanwhile ends it. */
export function decideFlagCollection(
  why: FlagReason,
  state: Collection,
): Result<readonly ReviewFlagged[], 'unknown_collection'> {
  if (state.status === 'none') return refuse('unknown_collection');
  const isNeeded = isUnflagged(why, state) && holds(why, state);
  return ok(isNeeded ? [{ type: 'ReviewFlagged', data: { why } }] : []);
}

/** What tells of money that may be another's, or unknown, is told also to whoever decides on something else. */
function isUnflagged(why: FlagReason, state: RecordedCollection): boolean {
  switch (why) {
    case 'duplicate_receipt':
      // Whatever was decided: the two streams bear it for ever.
      return state.sharesReceipt === undefined;
    case 'amount_unreadable':
    case 'checkout_of_another':
    case 'found_at_rail':
      return !state.questions.includes(why);
    case 'no_word_from_rail':
    case 'opened_by_operator':
      return !state.underReview;
    default:
      return assertNever(why);
  }
}

function holds(why: FlagReason, { status, payment }: RecordedCollection): boolean {
  switch (why) {
    case 'no_word_from_rail':
      return status === 'pending';
    case 'amount_unreadable':
      return status === 'completed';
    case 'duplicate_receipt':
      return payment.receipt !== undefined;
    case 'opened_by_operator':
    case 'found_at_rail':
      return status === 'pending' || status === 'failed';
    case 'checkout_of_another':
      return true;
    default:
      return assertNever(why);
  }
}
