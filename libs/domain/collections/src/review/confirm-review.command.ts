import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ok, type Result } from '#domain/kernel';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { MerchantDirectory } from '#domain/merchants';
import {
  type ConfirmationRefusal,
  confirmProposal,
  type Proposal,
  ReceiptUse,
  ReviewProposals,
} from '#domain/reviews';
import { type CollectionKey } from '../collection.events.js';
import { type CollectionView, viewOf } from '../collection.js';
import { collectionReview } from './collection-review.js';
import { type RulingRefusal } from './review.decide.js';

export type ConfirmReviewRefusal = RulingRefusal | ConfirmationRefusal;

export interface ConfirmedReview {
  readonly proposal: Proposal;
  readonly view: CollectionView;
}

/** A second operator agrees to the open proposal. Safe to repeat until it succeeds. */
export class ConfirmReview extends Command<Result<ConfirmedReview, ConfirmReviewRefusal>> {
  constructor(
    readonly key: CollectionKey,
    /** The proposal that the operator has read; undefined for the open one. */
    readonly proposalId: string | undefined,
    /** Its actor is the operator. Without a reason of their own, the event has the proposer's. */
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(ConfirmReview)
export class ConfirmReviewHandler implements ICommandHandler<ConfirmReview> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly proposals: ReviewProposals,
    private readonly receipts: ReceiptUse,
    private readonly merchants: MerchantDirectory,
  ) {}

  /** @throws DependencyUnavailable; WrongExpectedRevision after eight lost races */
  async execute(command: ConfirmReview): Promise<Result<ConfirmedReview, ConfirmReviewRefusal>> {
    const { pipeline, proposals, receipts } = this;
    const subject = collectionReview(command.key, this.merchants);
    const done = await confirmProposal({ pipeline, proposals, receipts }, subject, command);
    if (!done.ok) return done;
    const { proposal, state } = done.value;
    return ok({ proposal, view: viewOf(state) });
  }
}
