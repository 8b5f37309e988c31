import { assertNever, ok, refuse, type Result } from '#domain/kernel';
import { type Collection, type RecordedCollection } from '../collection.js';
import { type ReviewFlagged, type ReviewReason } from '../collection.events.js';

/**
 * The reasons for which the worker or an operator flags a collection for review:
 * - `no_word_from_rail`: the rail reported nothing for RAIL_REVIEW_AFTER.
 * - `amount_unreadable`: a query's "paid" was posted, and the callback's amount, which might differ, cannot be read.
 * - `checkout_of_another`: the rail named one checkout id for it and for another collection, in its answers to the
 *   pushes or in its own callback; both are flagged.
 * - `duplicate_receipt`: another collection, or a correction, has its receipt.
 * - `opened_by_operator`: an operator has found it on the rail's statement.
 * - `found_at_rail`: the rail lists a payment with its code, and no query settled it.
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

/** Flags once, and only while the reason holds. A report in between ends it. */
export function decideFlagCollection(
  why: FlagReason,
  state: Collection,
): Result<readonly ReviewFlagged[], 'unknown_collection'> {
  if (state.status === 'none') return refuse('unknown_collection');
  const isNeeded = isUnflagged(why, state) && holds(why, state);
  return ok(isNeeded ? [{ type: 'ReviewFlagged', data: { why } }] : []);
}

/** Reasons about money of unknown ownership or amount are flagged even while another question is under review. */
function isUnflagged(why: FlagReason, state: RecordedCollection): boolean {
  switch (why) {
    case 'duplicate_receipt':
      // Flagged even after a decision, because both streams keep the receipt for ever.
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
