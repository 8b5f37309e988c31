import { Command } from '@nestjs/cqrs';
import { type Result } from '#domain/kernel';
import { type CommandMetadata } from '#domain/event-sourcing';
import { type CollectionKey } from '../collection.events.js';
import { type CollectionView } from '../collection-view.js';
import { type Proposal } from './review-proposals.js';
import { type RulingRefusal } from './ruling.js';

/**
 * `no_proposal`: none is open. `proposal_replaced`: another is open than the one that was to be confirmed.
 * `overtaken`: what has happened since leaves no room for it.
 */
export type ConfirmReviewRefusal =
  RulingRefusal | 'no_proposal' | 'proposal_replaced' | 'overtaken' | 'receipt_taken';

export interface ConfirmedReview {
  readonly proposal: Proposal;
  readonly view: CollectionView;
}

/** A second operator agrees to the proposal that waits; safe to repeat until it says that it is done. */
export class ConfirmReview extends Command<Result<ConfirmedReview, ConfirmReviewRefusal>> {
  constructor(
    readonly key: CollectionKey,
    /** The proposal that the operator has read; undefined: whichever waits. */
    readonly proposalId: string | undefined,
    /** The operator is the actor; without a reason of their own, the proposer's stands in the event. */
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}
