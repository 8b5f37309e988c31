import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type Mode, ok, refuse, type Result } from '#domain/kernel';
import {
  type CommandMetadata,
  type ExpectedRevision,
  Pipeline,
  type Step,
} from '#domain/event-sourcing';
import {
  isAskedSince,
  isReceiptFree,
  type Proposal,
  ReviewProposals,
  type Ruling,
  UsedReceipts,
} from '#domain/reviews';
import {
  type CollectionEvent,
  type CollectionKey,
  collectionKeyOf,
  collectionStream,
} from '../collection.events.js';
import {
  type Collection,
  collectionDecider,
  type CollectionView,
  type RecordedCollection,
  viewOf,
} from '../collection.js';
import {
  checkRuling,
  decideReview,
  needsTwoOperators,
  type RulingRefusal,
} from './review.decide.js';

/** `receipt_taken`: another collection has it. `receipt_proposed`: another collection's open proposal names it. */
export type ResolveRefusal = RulingRefusal | 'receipt_taken' | 'receipt_proposed';

/** `proposed`: it waits for another operator. `decided`: it took effect. */
export type Resolved =
  | { readonly kind: 'proposed'; readonly proposal: Proposal }
  | { readonly kind: 'decided'; readonly view: CollectionView };

/**
 * An operator's ruling on a collection under review. In the metadata the actor is the operator, and the reason is
 * required.
 */
export class ResolveReview extends Command<Result<Resolved, ResolveRefusal>> {
  constructor(
    readonly key: CollectionKey,
    readonly ruling: Ruling,
    readonly metadata: CommandMetadata & { readonly reason: string },
  ) {
    super();
  }
}

/** Proposes if two operators must agree, else decides at once. */
@CommandHandler(ResolveReview)
export class ResolveReviewHandler implements ICommandHandler<ResolveReview> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly proposals: ReviewProposals,
    private readonly receipts: UsedReceipts,
  ) {}

  /** @throws DependencyUnavailable */
  async execute(command: ResolveReview): Promise<Result<Resolved, ResolveRefusal>> {
    const { key, ruling, metadata } = command;
    const stream = collectionStream(key);
    const step = { decider: collectionDecider, stream, metadata };
    const { state, revision } = await this.pipeline.load(step);
    const checked = checkRuling(ruling, state);
    if (!checked.ok) return checked;
    return needsTwoOperators(ruling.decision)
      ? this.propose(command, { stream, revision }, checked.value)
      : this.decide(command, step);
  }

  private async propose(
    { key, ruling, metadata }: ResolveReview,
    { stream, revision }: { readonly stream: string; readonly revision: ExpectedRevision },
    { decidedProposal }: RecordedCollection,
  ): Promise<Result<Resolved, ResolveRefusal>> {
    const receipt = ruling.decision === 'paid' ? ruling.payment?.receipt : undefined;
    if (!(await isReceiptFree(this.receipts, { mode: key.mode, stream, receipt })))
      return refuse('receipt_taken');
    // The process may have died between the decision and the proposal's end.
    if (decidedProposal !== undefined) await this.proposals.end(decidedProposal, 'decided');
    const proposal: Proposal = {
      id: this.pipeline.newId(),
      stream,
      ...(revision === 'no_stream' ? {} : { revision }),
      ruling,
      reason: metadata.reason,
      proposedBy: metadata.actor.id,
    };
    let opened = await this.proposals.open(proposal);
    if (!opened.ok && receipt !== undefined && (await this.endOvertaken(key.mode, receipt)))
      opened = await this.proposals.open(proposal);
    return opened.ok ? ok({ kind: 'proposed', proposal }) : opened;
  }

  /**
   * Ends a proposal that the rail's report has overtaken. It can never be confirmed, and must not keep its receipt from
   * others.
   * @returns true if the receipt's open proposal, if any, was overtaken
   */
  private async endOvertaken(mode: Mode, receipt: string): Promise<boolean> {
    const other = await this.proposals.findOpenByReceipt(mode, receipt);
    if (!other) return true;
    // The commands of payouts end their own proposals.
    if (!collectionKeyOf(other.stream)) return false;
    const { state, events } = await this.pipeline.load({
      decider: collectionDecider,
      stream: other.stream,
    });
    const isDecided = state.status !== 'none' && state.decidedProposal === other.id;
    const isOpen = checkRuling(other.ruling, state).ok && !isAskedSince(other, events);
    if (!isDecided && isOpen) return false;
    await this.proposals.end(other.id, isDecided ? 'decided' : 'overtaken');
    return true;
  }

  private async decide(
    { ruling, metadata }: ResolveReview,
    step: Step<Collection, CollectionEvent>,
  ): Promise<Result<Resolved, ResolveRefusal>> {
    const deciders = { reason: metadata.reason, proposedBy: metadata.actor.id };
    const done = await this.pipeline.run(step, (state) =>
      decideReview(ruling, deciders, state, undefined),
    );
    if (!done.ok) return done;
    const waiting = await this.proposals.findOpen(step.stream);
    if (waiting) await this.proposals.end(waiting.id, 'replaced');
    return ok({ kind: 'decided', view: viewOf(done.value.state) });
  }
}
