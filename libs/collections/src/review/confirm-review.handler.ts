import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ok, refuse, type Result } from '#kernel';
import { Pipeline } from '#event-sourcing';
import { type FeeSchedule } from '#ledger';
import { MerchantDirectory } from '#merchants';
import { type Collection, collectionDecider } from '../collection.js';
import { collectionStream } from '../collection.events.js';
import { viewOf } from '../collection-view.js';
import {
  ConfirmReview,
  type ConfirmReviewRefusal,
  type ConfirmedReview,
} from './confirm-review.command.js';
import { decideReview } from './review.decide.js';
import { type Proposal, ReviewProposals } from './review-proposals.js';
import { isReceiptFree, UsedReceipts } from './used-receipts.js';
import { type RulingRefusal } from './ruling.js';

/** What a ruling is refused with that was possible when it was proposed. */
const overtaken: ReadonlySet<RulingRefusal> = new Set([
  'not_under_review',
  'not_possible',
  'payment_not_asked',
]);

/**
 * Appends the decision, then ends its proposal. The event names the proposal as its cause, so whoever confirms again
 * after a crash in between finds it in history and appends nothing.
 */
@CommandHandler(ConfirmReview)
export class ConfirmReviewHandler implements ICommandHandler<ConfirmReview> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly proposals: ReviewProposals,
    private readonly receipts: UsedReceipts,
    private readonly merchants: MerchantDirectory,
  ) {}

  /** @throws DependencyUnavailable */
  async execute(command: ConfirmReview): Promise<Result<ConfirmedReview, ConfirmReviewRefusal>> {
    const { key, proposalId } = command;
    const proposal = await this.proposals.findOpen(collectionStream(key));
    if (!proposal) return refuse('no_proposal');
    if (proposalId !== undefined && proposalId !== proposal.id) return refuse('proposal_replaced');
    const { ruling, stream } = proposal;
    const receipt = ruling.decision === 'paid' ? ruling.payment?.receipt : undefined;
    if (!(await isReceiptFree(this.receipts, { mode: key.mode, stream, receipt })))
      return refuse('receipt_taken');
    const done = await this.decide(command, proposal);
    if (done.ok) await this.proposals.end(proposal.id, 'decided');
    else if (done.refusal === 'overtaken') await this.proposals.end(proposal.id, 'overtaken');
    return done;
  }

  private async decide(
    { metadata }: ConfirmReview,
    proposal: Proposal,
  ): Promise<Result<ConfirmedReview, ConfirmReviewRefusal>> {
    const { id: causationId, stream, ruling, reason, proposedBy } = proposal;
    const deciders = { reason, proposedBy, confirmedBy: metadata.actor.id };
    const step = {
      decider: collectionDecider,
      stream,
      metadata: { reason, ...metadata, causationId },
    };
    const before = await this.pipeline.load(step);
    const fees =
      ruling.decision === 'suspense_to_merchant' ? await this.fees(before.state) : undefined;
    const done = await this.pipeline.run(
      step,
      (state) =>
        isDecidedOn(proposal, state) ? ok([]) : decideReview(ruling, deciders, state, fees),
      before,
    );
    if (done.ok) return ok({ proposal, view: viewOf(done.value.state) });
    return overtaken.has(done.refusal) ? refuse('overtaken') : done;
  }

  /** The merchant's terms of now: what arrived is no amount that was agreed on before. */
  private async fees(state: Collection): Promise<FeeSchedule | undefined> {
    if (state.status === 'none') return undefined;
    const { merchantId, mode, accountNo } = state.intent;
    return (await this.merchants.findAccount(merchantId, mode, accountNo))?.feeSchedule;
  }
}

function isDecidedOn({ id }: Proposal, state: Collection): boolean {
  return state.status !== 'none' && state.decidedProposal === id;
}
