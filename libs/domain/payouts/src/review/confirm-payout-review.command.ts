import {
  type ConfirmationRefusal,
  confirmProposal,
  type Proposal,
  ReceiptUse,
  ReviewProposals,
} from '#domain/reviews';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { ok, type Result } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type PayoutKey } from '../payout.events.js';
import { type PayoutView, payoutViewOf } from '../payout.js';
import { type PayoutRulingRefusal } from './payout-review.decide.js';
import { settledPayoutReview } from './payout-review.js';
import { PayoutSettlement } from './payout-settlement.js';

/** `given_before`: the records know that the rail was given it, so it is not ended as never sent (PAY-61). */
export type ConfirmPayoutReviewRefusal = PayoutRulingRefusal | ConfirmationRefusal | 'given_before';

export interface ConfirmedPayoutReview {
  readonly proposal: Proposal;
  readonly view: PayoutView;
}

/** A second operator agrees to the open proposal. Safe to repeat until it succeeds. */
export class ConfirmPayoutReview extends Command<
  Result<ConfirmedPayoutReview, ConfirmPayoutReviewRefusal>
> {
  constructor(
    readonly key: PayoutKey,
    /** The proposal that the operator has read; undefined for the open one. */
    readonly proposalId: string | undefined,
    /** Its actor is the operator. Without a reason of their own, the event has the proposer's. */
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(ConfirmPayoutReview)
export class ConfirmPayoutReviewHandler implements ICommandHandler<ConfirmPayoutReview> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly proposals: ReviewProposals,
    private readonly receipts: ReceiptUse,
    private readonly settlement: PayoutSettlement,
  ) {}

  /** @throws DependencyUnavailable; WrongExpectedRevision after eight lost races */
  async execute(
    command: ConfirmPayoutReview,
  ): Promise<Result<ConfirmedPayoutReview, ConfirmPayoutReviewRefusal>> {
    const { pipeline, proposals, receipts } = this;
    const subject = settledPayoutReview(command.key, this.settlement);
    const done = await confirmProposal({ pipeline, proposals, receipts }, subject, command);
    if (!done.ok) return done;
    const { proposal, state } = done.value;
    return ok({ proposal, view: payoutViewOf(state) });
  }
}
