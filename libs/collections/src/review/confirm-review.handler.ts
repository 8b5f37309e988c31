import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ok, refuse, type Result } from '#kernel';
import { type Folded, Pipeline, WrongExpectedRevision } from '#event-sourcing';
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
import { ReceiptUse } from './receipt-use.js';
import { type RulingRefusal } from './ruling.js';

const maxAttempts = 8;

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
    private readonly receipts: ReceiptUse,
    private readonly merchants: MerchantDirectory,
  ) {}

  /** @throws DependencyUnavailable; WrongExpectedRevision after eight lost races */
  async execute(command: ConfirmReview): Promise<Result<ConfirmedReview, ConfirmReviewRefusal>> {
    for (let attempt = 1; ; attempt += 1) {
      const done = await this.attempt(command);
      if (done.ok) return done;
      if (done.refusal !== 'moved') return refuse(done.refusal);
      if (attempt === maxAttempts)
        throw new WrongExpectedRevision(collectionStream(command.key), 'no_stream');
    }
  }

  /**
   * The stream is read first. The append names the revision that was read, so whatever is checked in between, the
   * proposal and the receipt's claim, is checked anew where another event came first.
   */
  private async attempt(
    command: ConfirmReview,
  ): Promise<Result<ConfirmedReview, ConfirmReviewRefusal | 'moved'>> {
    const { key, proposalId } = command;
    const stream = collectionStream(key);
    const before = await this.pipeline.load({ decider: collectionDecider, stream });
    const proposal = await this.proposals.findOpen(stream);
    if (!proposal) return refuse('no_proposal');
    if (proposalId !== undefined && proposalId !== proposal.id) return refuse('proposal_replaced');
    const { ruling } = proposal;
    const receipt = ruling.decision === 'paid' ? ruling.payment?.receipt : undefined;
    const { revision } = before;
    if (!(await this.receipts.take({ mode: key.mode, stream, receipt, revision })))
      return refuse('receipt_taken');
    const done = await this.decide(command, proposal, before);
    if (done.ok) await this.proposals.end(proposal.id, 'decided');
    else if (done.refusal === 'overtaken') await this.proposals.end(proposal.id, 'overtaken');
    return done;
  }

  private async decide(
    { metadata }: ConfirmReview,
    proposal: Proposal,
    before: Folded<Collection>,
  ): Promise<Result<ConfirmedReview, ConfirmReviewRefusal | 'moved'>> {
    const { id: causationId, stream, ruling, reason, proposedBy } = proposal;
    const { state } = before;
    const deciders = { reason, proposedBy, confirmedBy: metadata.actor.id };
    const fees = ruling.decision === 'suspense_to_merchant' ? await this.fees(state) : undefined;
    const decision = isDecidedOn(proposal, state)
      ? ok([])
      : decideReview(ruling, deciders, state, fees);
    if (!decision.ok) return overtaken.has(decision.refusal) ? refuse('overtaken') : decision;
    const step = {
      decider: collectionDecider,
      stream,
      metadata: { reason, ...metadata, causationId },
    };
    const done = await this.pipeline.appendTo(step, before, decision.value);
    return done.ok ? ok({ proposal, view: viewOf(done.value.state) }) : done;
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
