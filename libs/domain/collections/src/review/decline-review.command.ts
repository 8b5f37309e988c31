import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Result } from '#domain/kernel';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import {
  type Declined,
  declineProposal,
  type DeclineRefusal,
  ReviewProposals,
} from '#domain/reviews';
import { type CollectionKey, collectionStream } from '../collection.events.js';
import { collectionDecider } from '../collection.js';

/** An operator rejects the open proposal, or its proposer withdraws it (REV-11). */
export class DeclineReview extends Command<Result<Declined, DeclineRefusal>> {
  constructor(
    readonly key: CollectionKey,
    /** The proposal that the operator has read. */
    readonly proposalId: string,
    /** Its actor is the operator. */
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(DeclineReview)
export class DeclineReviewHandler implements ICommandHandler<DeclineReview> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly proposals: ReviewProposals,
  ) {}

  /** @throws DependencyUnavailable */
  execute(command: DeclineReview): Promise<Result<Declined, DeclineRefusal>> {
    const subject = { decider: collectionDecider, stream: collectionStream(command.key) };
    const { pipeline, proposals } = this;
    return declineProposal({ pipeline, proposals }, subject, command);
  }
}
