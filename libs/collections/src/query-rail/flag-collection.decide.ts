import { never, ok, refuse, type Result } from '#kernel';
import { type Collection, type RecordedCollection } from '../collection.js';
import { type ReviewFlagged, type ReviewReason } from '../collection.events.js';

/**
 * Why the worker gives a collection to people:
 * - `no_word_from_rail`: nothing was heard for RAIL_REVIEW_AFTER.
 * - `amount_unreadable`: a query's "paid" was posted, and the callback's amount, which might have told of other
 *   money, cannot be read.
 * - `checkout_of_another`: the rail's own callback named a checkout id that another collection has, too; of the two,
 *   both are flagged.
 */
export type FlagReason = Extract<
  ReviewReason,
  'no_word_from_rail' | 'amount_unreadable' | 'checkout_of_another'
>;

/** Flagged once, and only while the reason holds: whatever was heard meanwhile ends it. */
export function decideFlagCollection(
  why: FlagReason,
  state: Collection,
): Result<readonly ReviewFlagged[], 'unknown_collection'> {
  if (state.status === 'none') return refuse('unknown_collection');
  const isNeeded = !state.underReview && holds(why, state);
  return ok(isNeeded ? [{ type: 'ReviewFlagged', data: { why } }] : []);
}

function holds(why: FlagReason, { status }: RecordedCollection): boolean {
  switch (why) {
    case 'no_word_from_rail':
      return status === 'pending';
    case 'amount_unreadable':
      return status === 'completed';
    case 'checkout_of_another':
      return true;
    default:
      return never(why);
  }
}
