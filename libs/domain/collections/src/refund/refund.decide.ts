import { type Minor, ok, refuse, type Result } from '#domain/kernel';
import { type Collection, type Completed } from '../collection.js';
import { type RefundPaid, type RefundReleased, type RefundReserved } from '../collection.events.js';

/** A refund of a collection: a payout of its merchant, and the amount that the customer gets back. */
export interface RefundTerms {
  readonly payoutReference: string;
  readonly amountMinor: Minor;
}

/** `not_refundable`: it is not completed, or it is under review. `exceeds`: less than the amount is left. */
export type RefundRefusal = 'unknown_collection' | 'not_refundable' | 'exceeds';

/** Returns the part of the posted amount that no refund has claimed. */
export function refundableMinor({ postedMinor, refunds }: Completed): Minor {
  return postedMinor - refunds.openMinor - refunds.refundedMinor;
}

/**
 * Claims a part of the collection's money for a refund, so that no two refunds give back the same money (REF-4). A
 * repeat adds nothing.
 */
export function decideReserveRefund(
  { payoutReference, amountMinor }: RefundTerms,
  state: Collection,
): Result<readonly RefundReserved[], RefundRefusal> {
  if (state.status === 'none') return refuse('unknown_collection');
  if (state.status !== 'completed') return refuse('not_refundable');
  const { byPayout, openMinor, refundedMinor } = state.refunds;
  const before = byPayout.get(payoutReference);
  if (before) return before.status === 'released' ? refuse('not_refundable') : ok([]);
  if (state.underReview) return refuse('not_refundable');
  if (amountMinor > refundableMinor(state)) return refuse('exceeds');
  const sums = { openMinor: openMinor + amountMinor, refundedMinor };
  return ok([{ type: 'RefundReserved', data: { payoutReference, amountMinor, ...sums } }]);
}

/**
 * True if a refund may be sent now (REF-10): its claim is open, the collection is not under review, and all refunds
 * together do not exceed the posted amount. Another refund may have been paid after its claim was released.
 */
export function isRefundOwed(payoutReference: string, state: Collection): boolean {
  if (state.status !== 'completed' || state.underReview) return false;
  const claim = state.refunds.byPayout.get(payoutReference);
  return claim?.status === 'open' && refundableMinor(state) >= 0n;
}

/**
 * Ends a claim by its refund's outcome; a repeat adds nothing. The rail may report a refund as paid after it failed and
 * its claim was released, even if the money was claimed anew since (REF-7).
 */
export function decideEndRefund(
  { payoutReference, amountMinor }: RefundTerms,
  outcome: 'paid' | 'released',
  state: Collection,
): readonly (RefundPaid | RefundReleased)[] {
  if (state.status !== 'completed') return [];
  const { byPayout, openMinor, refundedMinor } = state.refunds;
  const before = byPayout.get(payoutReference)?.status;
  const openAfter = before === 'open' ? openMinor - amountMinor : openMinor;
  const claim = { payoutReference, amountMinor, openMinor: openAfter };
  if (outcome === 'released')
    return before === 'open' ? [{ type: 'RefundReleased', data: { ...claim, refundedMinor } }] : [];
  if (before === 'paid') return [];
  return [{ type: 'RefundPaid', data: { ...claim, refundedMinor: refundedMinor + amountMinor } }];
}
