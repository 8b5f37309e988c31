import { type Mode, type Result } from '#domain/kernel';
import { type Ruling } from './ruling.js';

/** A ruling by one operator that waits for another's confirmation. */
export interface Proposal {
  readonly id: string;
  /** The collection's stream. */
  readonly stream: string;
  readonly ruling: Ruling;
  readonly reason: string;
  readonly proposedBy: string;
}

/**
 * How a proposal ended. `decided`: confirmed. `replaced`: by a newer one, or by a decision that needed no second
 * operator. `overtaken`: the rail's report came first.
 */
export type ProposalOutcome = 'decided' | 'replaced' | 'overtaken';

/** Keeps proposals, one open per collection and per receipt; none is ever deleted. */
export abstract class ReviewProposals {
  /** @throws DependencyUnavailable */
  abstract findOpen(stream: string): Promise<Proposal | undefined>;
  /** The mode's one that names the receipt. @throws DependencyUnavailable */
  abstract findOpenByReceipt(mode: Mode, receipt: string): Promise<Proposal | undefined>;
  /**
   * Opens a proposal; the collection's open one ends as `replaced`.
   * @returns a refusal where another collection's open proposal names the same receipt
   * @throws DependencyUnavailable
   */
  abstract open(proposal: Proposal): Promise<Result<undefined, 'receipt_proposed'>>;
  /** Changes nothing where the proposal has ended already. @throws DependencyUnavailable */
  abstract end(id: string, outcome: ProposalOutcome): Promise<void>;
}
