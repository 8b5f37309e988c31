import { type Instant, type Mode } from '#domain/kernel';

/** The kinds of changes that two admins decide on. A proposal's row stores the kind. */
export const proposalKinds = [
  'credential',
  'holder',
  'ip_list',
  'expiry',
  'limits',
  'destinations',
  'fee',
  'evidence',
  'losses',
  'resume',
  'unsuspension',
  'role',
] as const;
export type ProposalKind = (typeof proposalKinds)[number];

/** The names of the rows in which subjects describe a change. Edges have the words. */
export const proposalFields = [
  'person',
  'name',
  'role',
  'merchant',
  'mode',
  'holder',
  'bound_to',
  'credential',
  'ips',
  'rate',
  'expires',
  'key',
  'payout_max',
  'payout_day_max',
  'automatic_max',
  'automatic_day_max',
  'destinations',
  'destinations_added',
  'destinations_removed',
  'basis_points',
  'flat_minor',
  'messages',
  'streams',
  'stream_count',
  'lost_messages',
  'lost_claims',
  'lost_from',
  'lost_to',
  'digest',
] as const;
export type ProposalField = (typeof proposalFields)[number];

/** One line in the description of a change. */
export interface ProposalRow {
  readonly field: ProposalField;
  /** The new value; empty if there is none. */
  readonly value: string;
  /** The current value, if the change replaces one. */
  readonly before?: string;
}

/** JSON without bigints, which a row can store and return unchanged. */
export type Json =
  null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** A change that one admin requests and another must confirm. */
export interface Proposal {
  readonly id: string;
  readonly kind: ProposalKind;
  /** At most one proposal of a kind is open for each `about`; the next one replaces it. */
  readonly about: string;
  /** Absent if it concerns the platform. */
  readonly merchantId?: string;
  readonly mode?: Mode;
  /** The details as the subject wrote them. */
  readonly details: Json;
  /** The values that it replaces, as they were when it was proposed. */
  readonly seen: string;
  readonly reason: string;
  readonly proposedBy: string;
}

/** A proposal that is still open. */
export interface OpenProposal extends Proposal {
  readonly proposedAt: Instant;
  /** The proposal is refused after this time. */
  readonly endsAt: Instant;
}

/** `withdrawn`: by the proposer. `declined`: by another admin. */
export type ProposalOutcome = 'confirmed' | 'declined' | 'withdrawn';

/** Stores proposals, which are open for 24 h. It never deletes one. */
export abstract class Proposals {
  /**
   * Opens a proposal. The open one of the same kind and `about` ends as `replaced`.
   * @throws DependencyUnavailable
   */
  abstract open(proposal: Proposal): Promise<OpenProposal>;
  /**
   * Finds an open proposal; undefined if it has ended or its time is over.
   * @throws DependencyUnavailable
   */
  abstract findOpen(id: string): Promise<OpenProposal | undefined>;
  /**
   * Lists open proposals, the oldest first.
   * @param limit the maximum number
   * @param kind lists only proposals of this kind
   * @throws DependencyUnavailable
   */
  abstract listOpen(limit: number, kind?: ProposalKind): Promise<readonly OpenProposal[]>;
  /**
   * True if it was confirmed.
   * @throws DependencyUnavailable
   */
  abstract wasConfirmed(id: string): Promise<boolean>;
  /**
   * Takes the proposal for one confirmation, so that no other person can decline or confirm it meanwhile.
   * @returns false if it is not open any more, or another person has it
   * @throws DependencyUnavailable
   */
  abstract take(id: string, by: string): Promise<boolean>;
  /**
   * Gives the proposal back after `take`, because nothing was appended.
   * @throws DependencyUnavailable
   */
  abstract giveBack(id: string, by: string): Promise<void>;
  /**
   * Ends an open proposal. A taken one can only be confirmed.
   * @param by the person who ends it, as `actor.id`
   * @returns false if it is not open any more, or is taken
   * @throws DependencyUnavailable
   */
  abstract end(id: string, outcome: ProposalOutcome, by: string): Promise<boolean>;
  /**
   * Declines each open proposal of a proposer who was suspended (PEO-56). A taken one stays.
   * @param by the person who suspended them, as `actor.id`
   * @throws DependencyUnavailable
   */
  abstract endAllBy(proposedBy: string, by: string): Promise<void>;
}
