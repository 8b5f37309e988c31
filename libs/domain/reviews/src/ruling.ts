import { type RecordedEvent } from '#domain/event-sourcing';
import { type Instant, isSameName, type Minor, type Mode, type Result } from '#domain/kernel';
import { type Action } from '#domain/people';

/** The decisions that an operator may take under review (REV-1). */
export type ReviewDecision = 'paid' | 'failed' | 'suspense_to_merchant' | 'refunded';

/** A payment as an operator found it on the rail's statement. */
export interface FoundPayment {
  readonly receipt: string;
  readonly amountMinor: Minor;
  /** The rail's own time. */
  readonly paidAt?: Instant;
}

/**
 * An operator's ruling. `paid` needs the payment if nothing is posted yet. For a completed collection it means that the
 * posting is right.
 */
export type Ruling =
  | { readonly decision: 'paid'; readonly payment?: FoundPayment }
  | { readonly decision: Exclude<ReviewDecision, 'paid'> };

/** The receipt that the ruling records, if it names a payment. */
export function receiptOf(ruling: Ruling): string | undefined {
  return ruling.decision === 'paid' ? ruling.payment?.receipt : undefined;
}

/** The permission needed to propose it (PEO-16): the proposer of a found payment opens a review. */
export function proposingAction(ruling: Ruling): Action {
  return ruling.decision === 'paid' && ruling.payment ? 'reviews.open' : 'reviews.decide';
}

/** The operators who decide, by the names that they gave. The reason is the proposer's. */
export interface Deciders {
  readonly reason: string;
  readonly proposedBy: string;
  readonly confirmedBy?: string;
}

/** Two operators: the proposer's reason and name, and the confirmer. */
export interface TwoOperators extends Deciders {
  readonly confirmedBy: string;
}

/** True if the names are the same person: `Asha N` and `asha n ` are. */
export function isSameOperator(one: string, other: string): boolean {
  return isSameName(one, other);
}

/** The refusals of a ruling that later events rule out, although it was possible when it was proposed. */
export const overtakingRefusals = [
  'not_under_review',
  'not_possible',
  'payment_missing',
  'payment_not_asked',
] as const;

export type OvertakingRefusal = (typeof overtakingRefusals)[number];

/** A ruling by one operator that waits for another's confirmation. */
export interface Proposal {
  readonly id: string;
  /** The stream of the collection or the payout. */
  readonly stream: string;
  /** The stream's last revision that the proposer saw, if the proposal is bound to it. */
  readonly revision?: bigint;
  readonly ruling: Ruling;
  readonly reason: string;
  readonly proposedBy: string;
}

/** A proposal that is stored and still open. */
export interface OpenProposal extends Proposal {
  readonly proposedAt: Instant;
}

/**
 * True if a question was raised that the proposer did not know of. Such a proposal must not be confirmed, because the
 * decision would end that question too.
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

/** The end of a proposal that a person declined or withdrew (REV-11). */
export interface DeclinedEnd {
  readonly outcome: 'declined' | 'withdrawn';
  readonly by: string;
  readonly reason?: string | undefined;
}

/** Stores proposals, one open per collection or payout and per receipt. It never deletes one. */
export abstract class ReviewProposals {
  /** @throws DependencyUnavailable */
  abstract findOpen(stream: string): Promise<OpenProposal | undefined>;
  /**
   * Finds the mode's open proposal that names the receipt.
   * @throws DependencyUnavailable
   */
  abstract findOpenByReceipt(mode: Mode, receipt: string): Promise<OpenProposal | undefined>;
  /**
   * Opens a proposal; the open one of its collection or payout ends as `replaced`.
   * @returns a refusal if another stream's open proposal names the same receipt
   * @throws DependencyUnavailable
   */
  abstract open(proposal: Proposal): Promise<Result<undefined, 'receipt_proposed'>>;
  /**
   * Ends a proposal. Changes nothing if it has ended already, but a decision in the log wins over a decline.
   * @throws DependencyUnavailable
   */
  abstract end(id: string, outcome: ProposalOutcome): Promise<void>;
  /**
   * Claims an open proposal for a confirmation that is about to append. A claim keeps rejections out for a minute, in
   * case its process dies. Several confirmations may claim one proposal: the log decides between them.
   * @returns false if it has ended already
   * @throws DependencyUnavailable
   */
  abstract claim(id: string, claim: string): Promise<boolean>;
  /**
   * Gives a claim back because nothing was appended. Changes nothing if another confirmation has claimed since.
   * @throws DependencyUnavailable
   */
  abstract release(id: string, claim: string): Promise<void>;
  /**
   * Ends a proposal without a decision.
   * @returns false if it has ended already, or if a confirmation has claimed it
   * @throws DependencyUnavailable
   */
  abstract decline(id: string, end: DeclinedEnd): Promise<boolean>;
}
