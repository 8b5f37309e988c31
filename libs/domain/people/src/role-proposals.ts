import { type Instant } from '#domain/kernel';
import { type RoleTerms } from './role.events.js';

/** A role that one admin requests and another must confirm. */
export interface RoleProposal {
  readonly id: string;
  readonly terms: RoleTerms;
  readonly reason: string;
  readonly proposedBy: string;
}

/** A proposal that is still open. */
export interface OpenRoleProposal extends RoleProposal {
  readonly proposedAt: Instant;
  /** The proposal is refused after this time. */
  readonly endsAt: Instant;
}

/** `decided`: granted. `declined`: an admin declined it, or suspended its proposer. */
export type RoleProposalOutcome = 'decided' | 'declined';

/**
 * Stores proposals, which are open for 24 h, one per person and role. It deletes none that may still be asked about.
 */
export abstract class RoleProposals {
  /**
   * Opens a proposal. The open one of the same person and role ends as `replaced`.
   * @throws DependencyUnavailable
   */
  abstract open(proposal: RoleProposal): Promise<OpenRoleProposal>;
  /**
   * Finds an open proposal; undefined if it has ended or its time is over.
   * @throws DependencyUnavailable
   */
  abstract findOpen(id: string): Promise<OpenRoleProposal | undefined>;
  /**
   * Lists the open proposals, the oldest first.
   * @throws DependencyUnavailable
   */
  abstract listOpen(): Promise<readonly OpenRoleProposal[]>;
  /**
   * Ends a proposal. Changes nothing if it has ended already.
   * @param by the person who ends it, as `actor.id`
   * @throws DependencyUnavailable
   */
  abstract end(id: string, outcome: RoleProposalOutcome, by: string): Promise<void>;
  /**
   * Declines each open proposal of a proposer who was suspended.
   * @throws DependencyUnavailable
   */
  abstract endAllBy(proposedBy: string, by: string): Promise<void>;
}
