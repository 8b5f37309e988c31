import { type Instant, type Mode } from '#domain/kernel';

/** What two admins decide on; a proposal's row keeps it. */
export const proposalKinds = [
  'credential',
  'holder',
  'ip_list',
  'limits',
  'destinations',
  'fee',
  'evidence',
  'resume',
  'unsuspension',
] as const;
export type ProposalKind = (typeof proposalKinds)[number];

/** The names of the rows in which subjects say what a change does. Edges have the words. */
export const proposalFields = [
  'person',
  'merchant',
  'mode',
  'holder',
  'bound_to',
  'credential',
  'ips',
  'rate',
  'key',
  'payout_max',
  'payout_day_max',
  'automatic_max',
  'automatic_day_max',
  'destinations',
  'basis_points',
  'flat_minor',
  'messages',
  'streams',
  'stream_count',
] as const;
export type ProposalField = (typeof proposalFields)[number];

/** One line of what a change does. */
export interface ProposalRow {
  readonly field: ProposalField;
  /** As it will be; empty: none. */
  readonly value: string;
  /** As it is now, if the change replaces something. */
  readonly before?: string;
}

/** JSON without bigints: what a row can keep and give back unchanged. */
export type Json =
  null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** A change that one admin wants and that waits for another. */
export interface Proposal {
  readonly id: string;
  readonly kind: ProposalKind;
  /** One proposal of a kind waits for each; the next one replaces it. */
  readonly about: string;
  /** Absent: it concerns the platform. */
  readonly merchantId?: string;
  readonly mode?: Mode;
  /** As the subject wrote it. */
  readonly details: Json;
  /** The values that it replaces, as they were when it was proposed. */
  readonly seen: string;
  readonly reason: string;
  readonly proposedBy: string;
}

/** One that still waits. */
export interface OpenProposal extends Proposal {
  readonly proposedAt: Instant;
  /** A timeout refuses. */
  readonly endsAt: Instant;
}

/** `withdrawn`: by who proposed it. `declined`: by another admin. */
export type ProposalOutcome = 'confirmed' | 'declined' | 'withdrawn';

/** Keeps proposals for 24 h; none is deleted. */
export abstract class Proposals {
  /** The open one of the same kind and `about` ends as `replaced`. @throws DependencyUnavailable */
  abstract open(proposal: Proposal): Promise<OpenProposal>;
  /** Undefined if it has ended, by its time too. @throws DependencyUnavailable */
  abstract findOpen(id: string): Promise<OpenProposal | undefined>;
  /** @param limit at most so many, the oldest first. @throws DependencyUnavailable */
  abstract listOpen(limit: number): Promise<readonly OpenProposal[]>;
  /** True if it was confirmed. @throws DependencyUnavailable */
  abstract wasConfirmed(id: string): Promise<boolean>;
  /**
   * Takes the proposal for one confirmation, so that it is neither declined nor confirmed by another meanwhile.
   * @returns false if it waits no more, or another person has it
   * @throws DependencyUnavailable
   */
  abstract take(id: string, by: string): Promise<boolean>;
  /** Gives back what `take` took: nothing was appended. @throws DependencyUnavailable */
  abstract giveBack(id: string, by: string): Promise<void>;
  /**
   * Ends one that waits. One that is taken is only confirmed.
   * @param by who ends it, as `actor.id`
   * @returns false if it waits no more, or is taken
   * @throws DependencyUnavailable
   */
  abstract end(id: string, outcome: ProposalOutcome, by: string): Promise<boolean>;
}
