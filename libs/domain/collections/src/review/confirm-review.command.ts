import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Mode, ok, refuse, type Result } from '#domain/kernel';
import {
  type CommandMetadata,
  type Folded,
  type Loaded,
  Pipeline,
  WrongExpectedRevision,
} from '#domain/event-sourcing';
import {
  isAskedSince,
  type OpenProposal,
  type Proposal,
  proposingAction,
  ReceiptUse,
  ReviewProposals,
} from '#domain/reviews';
import {
  type CollectionEvent,
  type CollectionKey,
  collectionStream,
} from '../collection.events.js';
import { type Collection, collectionDecider, type CollectionView, viewOf } from '../collection.js';
import { type FeeSchedule } from '#domain/ledger';
import { MerchantDirectory } from '#domain/merchants';
import { isStillPermitted } from '#domain/people';
import { decideReview, type RulingRefusal } from './review.decide.js';

/**
 * `no_proposal`: none is open. `proposal_replaced`: the open proposal is not the one to confirm. `proposer_lost_role`:
 * the proposer may no longer decide (PEO-16). `overtaken`: later events rule it out.
 */
export type ConfirmReviewRefusal =
  | RulingRefusal
  | 'no_proposal'
  | 'proposal_replaced'
  | 'proposer_lost_role'
  | 'overtaken'
  | 'receipt_taken';

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

const maxAttempts = 8;

/** Refusals of a ruling that was possible when it was proposed. */
const overtaken: ReadonlySet<RulingRefusal> = new Set([
  'not_under_review',
  'not_possible',
  'payment_not_asked',
]);

/**
 * Appends the decision, then ends its proposal. The event has the proposal as its cause, so a repeat after a crash in
 * between finds it in history and appends nothing.
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
   * Reads the stream first. The append names that revision, so if another event came first, everything checked in
   * between (the proposal and the receipt's claim) is checked again.
   */
  private async attempt(
    command: ConfirmReview,
  ): Promise<Result<ConfirmedReview, ConfirmReviewRefusal | 'moved'>> {
    const { key, proposalId, metadata } = command;
    const stream = collectionStream(key);
    const before = await this.pipeline.load({ decider: collectionDecider, stream });
    const proposal = await this.proposals.findOpen(stream);
    if (!proposal) return refuse('no_proposal');
    if (proposalId !== undefined && proposalId !== proposal.id) return refuse('proposal_replaced');
    const decision = await this.decide(proposal, metadata, before);
    if (!decision.ok) {
      if (decision.refusal === 'overtaken') await this.proposals.end(proposal.id, 'overtaken');
      return decision;
    }
    // Claimed only if something is appended: a stream that never changes again would keep the receipt for ever.
    const use = useOf(proposal, key.mode, before);
    const isFree = decision.value.length === 0 || (await this.receipts.take(use));
    if (!isFree) return refuse('receipt_taken');
    const { id: causationId, reason } = proposal;
    const step = {
      decider: collectionDecider,
      stream,
      metadata: { reason, ...metadata, causationId },
    };
    const done = await this.pipeline.appendTo(step, before, decision.value);
    if (!done.ok) return done;
    if (done.value.appended) await this.receipts.noteAppended(use);
    await this.proposals.end(proposal.id, 'decided');
    return ok({ proposal, view: viewOf(done.value.state) });
  }

  /** @returns no events if the proposal was decided before */
  private async decide(
    proposal: OpenProposal,
    { actor }: CommandMetadata,
    { state, events }: Loaded<Collection, CollectionEvent>,
  ): Promise<Result<readonly CollectionEvent[], ConfirmReviewRefusal>> {
    if (isDecidedOn(proposal, state)) return ok([]);
    if (isAskedSince(proposal, events)) return refuse('overtaken');
    const { ruling, reason, proposedBy, proposedAt } = proposal;
    const deciders = { reason, proposedBy, confirmedBy: actor.id };
    const two = { ...deciders, proposedAt };
    if (!(await isStillPermitted(this.pipeline, proposingAction(ruling), two)))
      return refuse('proposer_lost_role');
    const fees = ruling.decision === 'suspense_to_merchant' ? await this.fees(state) : undefined;
    const decision = decideReview(ruling, deciders, state, fees);
    if (decision.ok) return decision;
    return refuse(overtaken.has(decision.refusal) ? 'overtaken' : decision.refusal);
  }

  /** Returns the merchant's current fee, because the amount that arrived was never agreed on. */
  private async fees(state: Collection): Promise<FeeSchedule | undefined> {
    if (state.status === 'none') return undefined;
    const { merchantId, mode, accountNo } = state.intent;
    return (await this.merchants.findAccount(merchantId, mode, accountNo))?.feeSchedule;
  }
}

function isDecidedOn({ id }: Proposal, state: Collection): boolean {
  return state.status !== 'none' && state.decidedProposal === id;
}

/** The receipt that the ruling records, if any, and the revision that was read. */
function useOf({ stream, ruling }: Proposal, mode: Mode, { revision }: Folded<Collection>) {
  const receipt = ruling.decision === 'paid' ? ruling.payment?.receipt : undefined;
  return { mode, stream, receipt, revision };
}
