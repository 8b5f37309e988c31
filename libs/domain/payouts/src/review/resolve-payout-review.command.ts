import {
  isAskedSince,
  isReceiptFree,
  type Proposal,
  ReviewProposals,
  type Ruling,
  UsedReceipts,
} from '#domain/reviews';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { type Mode, ok, refuse, type Result } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { payoutStep } from '../funds/payout-funds.js';
import { payoutDecider } from '../payout.evolve.js';
import { type PayoutKey, payoutKeyOf, payoutStream } from '../payout.events.js';
import { checkPayoutRuling, type PayoutRulingRefusal } from './payout-review.decide.js';

/** `receipt_taken`: another item has it. `receipt_proposed`: another item's open proposal names it. */
export type ResolvePayoutRefusal = PayoutRulingRefusal | 'receipt_taken' | 'receipt_proposed';

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
  async execute({
    key,
    ruling,
    metadata,
  }: ResolvePayoutReview): Promise<Result<Proposal, ResolvePayoutRefusal>> {
    const { mode } = key;
    const { stream, ...step } = payoutStep(payoutStream(key), metadata);
    const { state, revision: seen } = await this.pipeline.load({ ...step, stream });
    const checked = checkPayoutRuling(ruling, state);
    if (!checked.ok) return checked;
    const receipt = ruling.decision === 'paid' ? ruling.payment?.receipt : undefined;
    if (!(await isReceiptFree(this.receipts, { mode, stream, receipt })))
      return refuse('receipt_taken');
    // The process may have died between the decision and the proposal's end.
    const { decidedProposal } = checked.value;
    if (decidedProposal !== undefined) await this.proposals.end(decidedProposal, 'decided');
    const { reason, actor } = metadata;
    const id = this.pipeline.newId();
    const revision = seen === 'no_stream' ? {} : { revision: seen };
    const proposal = { id, stream, ruling, reason, proposedBy: actor.id, ...revision };
    let opened = await this.proposals.open(proposal);
    if (!opened.ok && receipt !== undefined && (await this.endOvertaken(mode, receipt)))
      opened = await this.proposals.open(proposal);
    return opened.ok ? ok(proposal) : opened;
  }

  /**
   * Ends a proposal that the rail's report has overtaken. It can never be confirmed, and must not keep its receipt from
   * others.
   * @returns true if the receipt's open proposal, if any, was overtaken
   */
  private async endOvertaken(mode: Mode, receipt: string): Promise<boolean> {
    const other = await this.proposals.findOpenByReceipt(mode, receipt);
    if (!other) return true;
    const { stream } = other;
    // The commands of collections end their own proposals.
    if (!payoutKeyOf(stream)) return false;
    const { state, events } = await this.pipeline.load({ decider: payoutDecider, stream });
    const isDecided = state.status !== 'none' && state.decidedProposal === other.id;
    const isOpen = checkPayoutRuling(other.ruling, state).ok && !isAskedSince(other, events);
    if (!isDecided && isOpen) return false;
    await this.proposals.end(other.id, isDecided ? 'decided' : 'overtaken');
    return true;
  }
}
