import {
  isAskedSince,
  type OpenProposal,
  type Proposal,
  proposingAction,
  ReceiptUse,
  ReviewProposals,
} from '#domain/reviews';
import {
  type CommandMetadata,
  fold,
  type Loaded,
  Pipeline,
  type RecordedEvent,
  WrongExpectedRevision,
} from '#domain/event-sourcing';
import { ok, refuse, type Result } from '#domain/kernel';
import { isStillPermitted } from '#domain/people';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { payoutStep } from '../funds/payout-funds.js';
import { payoutDecider } from '../payout.evolve.js';
import { type PayoutEvent, type PayoutKey, payoutStream } from '../payout.events.js';
import { type Payout, type PayoutView, payoutViewOf } from '../payout.js';
import { decidePayoutReview, type PayoutRulingRefusal } from './payout-review.decide.js';
import { PayoutSettlement } from './payout-settlement.js';

/**
 * The reasons of a refusal.
 * - `no_proposal`: none is open.
 * - `proposal_replaced`: the open proposal is not the one to confirm.
 * - `proposer_lost_role`: the proposer may no longer decide (PEO-16).
 * - `overtaken`: later events rule it out.
 * - `given_before`: the records know that the rail was given it, so it is not ended as never sent (PAY-61).
 */
export type ConfirmPayoutReviewRefusal =
  | PayoutRulingRefusal
  | 'no_proposal'
  | 'proposal_replaced'
  | 'proposer_lost_role'
  | 'overtaken'
  | 'given_before'
  | 'receipt_taken';

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

const maxAttempts = 8;

/** Refusals of a ruling that was possible when it was proposed. */
const overtaken: ReadonlySet<PayoutRulingRefusal> = new Set([
  'not_under_review',
  'not_possible',
  'payment_missing',
  'payment_not_asked',
]);

/**
 * Appends the decision, then settles the reservation, then ends the proposal. The event has the proposal as its cause,
 * so a repeat after a crash in between finds it in history and appends nothing.
 */
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
    for (let attempt = 1; ; attempt += 1) {
      const done = await this.attempt(command);
      if (done.ok) return done;
      if (done.refusal !== 'moved') return refuse(done.refusal);
      if (attempt === maxAttempts)
        throw new WrongExpectedRevision(payoutStream(command.key), 'no_stream');
    }
  }

  /**
   * The append names the revision that was read. If the stream moved, everything checked in between is checked again.
   */
  private async attempt({
    key,
    proposalId,
    metadata,
  }: ConfirmPayoutReview): Promise<
    Result<ConfirmedPayoutReview, ConfirmPayoutReviewRefusal | 'moved'>
  > {
    const stream = payoutStream(key);
    const before = await this.pipeline.load(payoutStep(stream, metadata));
    const proposal = await this.proposals.findOpen(stream);
    if (!proposal) return refuse('no_proposal');
    if (proposalId !== undefined && proposalId !== proposal.id) return refuse('proposal_replaced');
    const decided = await this.decide(proposal, metadata, before);
    if (!decided.ok) return decided;
    if (await this.keepsGiven({ proposal, metadata }, before)) return refuse('given_before');
    const { ruling, id: causationId, reason } = proposal;
    const receipt = ruling.decision === 'paid' ? ruling.payment?.receipt : undefined;
    const use = { mode: key.mode, stream, receipt, revision: before.revision };
    // Claimed only if something is appended: a stream that never changes again would keep the receipt for ever.
    const isFree = decided.value.length === 0 || (await this.receipts.take(use));
    if (!isFree) return refuse('receipt_taken');
    const step = payoutStep(stream, { reason, ...metadata, causationId });
    const done = await this.pipeline.appendTo(step, before, decided.value);
    if (!done.ok) return done;
    if (done.value.appended) await this.receipts.noteAppended(use);
    const { state } = await this.settlement.settle(step, done.value);
    await this.proposals.end(proposal.id, 'decided');
    return ok({ proposal, view: payoutViewOf(state) });
  }

  /** A payout that was never sent ends without a report of the rail, so the records are checked first. */
  private async keepsGiven(
    { proposal, metadata }: { readonly proposal: Proposal; readonly metadata: CommandMetadata },
    before: Loaded<Payout, PayoutEvent>,
  ): Promise<boolean> {
    if (before.state.status !== 'approved') return false;
    const { correlationId, actor } = metadata;
    const step = payoutStep(proposal.stream, { correlationId, actor, causationId: proposal.id });
    if (!(await this.settlement.keepsGiven(step, before))) return false;
    await this.proposals.end(proposal.id, 'overtaken');
    return true;
  }

  /** @returns no events if the proposal was decided before */
  private async decide(
    proposal: OpenProposal,
    { actor }: CommandMetadata,
    { state, events }: Loaded<Payout, PayoutEvent>,
  ): Promise<Result<readonly PayoutEvent[], ConfirmPayoutReviewRefusal>> {
    const { id, ruling, reason, proposedBy, proposedAt } = proposal;
    if (state.status !== 'none' && state.decidedProposal === id) return ok([]);
    const deciders = { reason, proposedBy, confirmedBy: actor.id };
    const two = { ...deciders, proposedAt };
    if (!(await isStillPermitted(this.pipeline, proposingAction(ruling), two)))
      return refuse('proposer_lost_role');
    if (statusSeenBy(proposal, events) === state.status && !isAskedSince(proposal, events)) {
      const decision = decidePayoutReview(ruling, deciders, state);
      if (decision.ok || !overtaken.has(decision.refusal)) return decision;
    }
    await this.proposals.end(id, 'overtaken');
    return refuse('overtaken');
  }
}

/**
 * Returns the payout's status when the proposal was made. "Failed" means something else for a payout that was not sent
 * than for one that was. If it was sent meanwhile and is under review again, it needs a new proposal.
 */
function statusSeenBy(
  { revision }: Proposal,
  events: readonly RecordedEvent<PayoutEvent>[],
): Payout['status'] {
  const seen = events.filter((event) => revision === undefined || event.revision <= revision);
  return fold(payoutDecider, seen).status;
}
