import {
  type Proposal,
  type ProposalRefusal,
  proposeRuling,
  ReviewProposals,
  type Ruling,
  UsedReceipts,
} from '#domain/reviews';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { type Result } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type PayoutKey } from '../payout.events.js';
import { type PayoutRulingRefusal } from './payout-review.decide.js';
import { payoutReview } from './payout-review.js';

export type ResolvePayoutRefusal = PayoutRulingRefusal | ProposalRefusal;

/**
 * An operator's ruling on a payout under review. In the metadata the actor is the operator, and the reason is required.
 */
export class ResolvePayoutReview extends Command<Result<Proposal, ResolvePayoutRefusal>> {
  constructor(
    readonly key: PayoutKey,
    readonly ruling: Ruling,
    readonly metadata: CommandMetadata & { readonly reason: string },
  ) {
    super();
  }
}

/** Proposes, whatever the ruling, because a wrong one pays twice, or keeps money that was not paid (PAY-31). */
@CommandHandler(ResolvePayoutReview)
export class ResolvePayoutReviewHandler implements ICommandHandler<ResolvePayoutReview> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly proposals: ReviewProposals,
    private readonly receipts: UsedReceipts,
  ) {}

  /** @throws DependencyUnavailable */
  async execute(command: ResolvePayoutReview): Promise<Result<Proposal, ResolvePayoutRefusal>> {
    const { pipeline, proposals, receipts } = this;
    return proposeRuling({ pipeline, proposals, receipts }, payoutReview(command.key), command);
  }
}
