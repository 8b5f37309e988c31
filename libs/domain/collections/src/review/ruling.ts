import { type Instant, type Minor } from '#domain/kernel';
import { type ReviewDecision } from '../collection.events.js';

/** A payment as an operator found it on the rail's statement. */
export interface FoundPayment {
  readonly receipt: string;
  readonly amountMinor: Minor;
  /** The rail's own time. */
  readonly paidAt?: Instant;
}

/**
 * What an operator wants to be so. `paid` needs the payment where nothing is posted yet; of a collection that is
 * completed it says that the posting stands.
 */
export type Ruling =
  | { readonly decision: 'paid'; readonly payment?: FoundPayment }
  | { readonly decision: Exclude<ReviewDecision, 'paid'> };

/** Who decided: the reason is the proposer's. Names as the operators gave them. */
export interface Deciders {
  readonly reason: string;
  readonly proposedBy: string;
  readonly confirmedBy?: string;
}

/**
 * Why a ruling cannot be. `not_possible`: not of a collection in this state. `unknown_account`: the merchant's terms,
 * from which the fee follows, are not known.
 */
export type RulingRefusal =
  | 'unknown_collection'
  | 'not_under_review'
  | 'not_possible'
  | 'payment_missing'
  | 'payment_not_asked'
  | 'invalid_amount'
  | 'second_operator_needed'
  | 'same_operator'
  | 'unknown_account';
