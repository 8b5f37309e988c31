import {
  type Declined,
  declineProposal,
  type DeclineRefusal,
  ReviewProposals,
} from '#domain/reviews';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { type Result } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type PayoutKey, payoutStream } from '../payout.events.js';
import { payoutDecider } from '../payout.evolve.js';

/** An operator rejects the open proposal, or its proposer withdraws it (REV-11). */
export class DeclinePayoutReview extends Command<Result<Declined, DeclineRefusal>> {
  constructor(
    readonly key: PayoutKey,
    /** The proposal that the operator has read. */
    readonly proposalId: string,
    /** Its actor is the operator. */
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(DeclinePayoutReview)
export class DeclinePayoutReviewHandler implements ICommandHandler<DeclinePayoutReview> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly proposals: ReviewProposals,
  ) {}

  /** @throws DependencyUnavailable */
  execute(command: DeclinePayoutReview): Promise<Result<Declined, DeclineRefusal>> {
    const subject = { decider: payoutDecider, stream: payoutStream(command.key) };
    const { pipeline, proposals } = this;
    return declineProposal({ pipeline, proposals }, subject, command);
  }
}
