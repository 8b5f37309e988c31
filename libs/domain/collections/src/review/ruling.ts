import { type RecordedEvent } from '#domain/event-sourcing';
import { type Instant, type Minor, type Mode, type Result } from '#domain/kernel';
import { type Action } from '#domain/people';
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

/** What may propose it (PEO-16): whoever opens a review does so with the payment that they found. */
export function proposingAction(ruling: Ruling): Action {
  return ruling.decision === 'paid' && ruling.payment ? 'reviews.open' : 'reviews.decide';
}

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

/** A ruling by one operator that waits for another's confirmation. */
export interface Proposal {
  readonly id: string;
  /** The collection's, or the payout's. */
  readonly stream: string;
  /** The stream's last revision that the proposer saw, where the proposal is bound to it. */
  readonly revision?: bigint;
  readonly ruling: Ruling;
  readonly reason: string;
  readonly proposedBy: string;
  /** Absent before it is kept. */
  readonly proposedAt?: Instant;
}

/**
 * Whether a person was asked something that the proposer did not know of. Nobody agrees to what was proposed without it:
 * the decision would end that question, too.
 */
export function isAskedSince(
  { revision }: Proposal,
  events: readonly Pick<RecordedEvent, 'revision' | 'type'>[],
): boolean {
  if (revision === undefined) return false;
  return events.some((event) => event.type === 'ReviewFlagged' && event.revision > revision);
}

/**
 * How a proposal ended. `decided`: confirmed. `replaced`: by a newer one, or by a decision that needed no second
 * operator. `overtaken`: the rail's report came first.
 */
export type ProposalOutcome = 'decided' | 'replaced' | 'overtaken';

/** Keeps proposals, one open per collection or payout and per receipt; none is ever deleted. */
export abstract class ReviewProposals {
  /** @throws DependencyUnavailable */
  abstract findOpen(stream: string): Promise<Proposal | undefined>;
  /** The mode's one that names the receipt. @throws DependencyUnavailable */
  abstract findOpenByReceipt(mode: Mode, receipt: string): Promise<Proposal | undefined>;
  /**
   * Opens a proposal; the open one of its collection or payout ends as `replaced`.
   * @returns a refusal where another's open proposal names the same receipt
   * @throws DependencyUnavailable
   */
  abstract open(proposal: Proposal): Promise<Result<undefined, 'receipt_proposed'>>;
  /** Changes nothing where the proposal has ended already. @throws DependencyUnavailable */
  abstract end(id: string, outcome: ProposalOutcome): Promise<void>;
}
