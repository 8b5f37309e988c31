import { type ReviewDecision } from '#domain/reviews';
import { type Case, decisionsFor } from '#desk/operators';
import { moneyText } from '../page/parts.js';
import { arrivedMinor } from './fact-rows.js';

/** Decisions that several reviews may have together, in the order of the form. */
const inOrder = ['failed', 'suspense_to_merchant', 'refunded', 'paid'] as const;

/** A decision for several reviews: those that allow it, and those that it leaves out. */
export interface SharedDecision {
  readonly decision: ReviewDecision;
  readonly fits: readonly Case[];
  readonly leftOut: readonly Case[];
}

/**
 * Splits the chosen reviews by a decision. A decision that names a payment fits none, because each item has its own.
 */
export function sharedDecision(found: readonly Case[], decision: ReviewDecision): SharedDecision {
  const [fits, leftOut]: [Case[], Case[]] = [[], []];
  for (const each of found) (refusalOf(each, decision) === undefined ? fits : leftOut).push(each);
  return { decision, fits, leftOut };
}

/** The reason why a review cannot have a decision without a payment; undefined if it can. */
export function refusalOf(
  found: Case,
  decision: ReviewDecision,
): 'not_under_review' | 'not_possible' | 'payment_missing' | undefined {
  if (!found.state.underReview) return 'not_under_review';
  const possible = decisionsFor(found).find((each) => each.decision === decision);
  if (!possible) return 'not_possible';
  return possible.payment === 'none' ? undefined : 'payment_missing';
}

/**
 * The decisions to offer: those that all chosen reviews allow, or else each that some allow, with the reviews that it
 * leaves out.
 */
export function offeredDecisions(found: readonly Case[]): readonly SharedDecision[] {
  const some = inOrder
    .map((decision) => sharedDecision(found, decision))
    .filter(({ fits }) => fits.length > 0);
  const shared = some.filter(({ leftOut }) => leftOut.length === 0);
  return shared.length > 0 ? shared : some;
}

/** The sum of the money that the reviews are about, by currency: what arrived, else what was asked for. */
export function totalText(found: readonly Case[]): string {
  const sums = new Map<string, bigint>();
  for (const each of found) {
    const { currency } = each.item;
    sums.set(currency, (sums.get(currency) ?? 0n) + (arrivedMinor(each) ?? askedMinor(each)));
  }
  return [...sums].map(([currency, sum]) => moneyText(sum, currency)).join(' + ');
}

/** The amount that the merchant asked for, in minor units. */
export function askedMinor(found: Case): bigint {
  return found.type === 'payout' ? found.state.request.amountMinor : found.state.intent.amountMinor;
}
