import { type Instant } from '#domain/kernel';
import { type RoleTerms } from './role.events.js';

/** A role that one admin wants granted, and that waits for another. */
export interface RoleProposal {
  readonly id: string;
  readonly terms: RoleTerms;
  readonly reason: string;
  readonly proposedBy: string;
}

/** One that still waits. */
export interface OpenRoleProposal extends RoleProposal {
  readonly proposedAt: Instant;
  /** A timeout refuses. */
  readonly endsAt: Instant;
}

/** `decided`: granted. `declined`: an admin said no, or suspended who proposed it. */
export type RoleProposalOutcome = 'decided' | 'declined';

/** Keeps proposals for 24 h, one open per person and role; none is deleted while somebody may ask about it. */
export abstract class RoleProposals {
  /** The open one of the same person and role ends as `replaced`. @throws DependencyUnavailable */
  abstract open(proposal: RoleProposal): Promise<OpenRoleProposal>;
  /** Undefined where it has ended, by its time too. @throws DependencyUnavailable */
  abstract findOpen(id: string): Promise<OpenRoleProposal | undefined>;
  /** The oldest first. @throws DependencyUnavailable */
  abstract listOpen(): Promise<readonly OpenRoleProposal[]>;
  /**
   * Changes nothing where it has ended already.
   * @param by who ended it, as `actor.id`
   * @throws DependencyUnavailable
   */
  abstract end(id: string, outcome: RoleProposalOutcome, by: string): Promise<void>;
  /**
   * Declines each open one of a proposer, who was suspended.
   * @throws DependencyUnavailable
   */
  abstract endAllBy(proposedBy: string, by: string): Promise<void>;
}
