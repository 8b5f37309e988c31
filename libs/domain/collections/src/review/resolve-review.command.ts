import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { ok, type Result } from '#domain/kernel';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { MerchantDirectory } from '#domain/merchants';
import {
  type Proposal,
  type ProposalRefusal,
  proposeRuling,
  ReviewProposals,
  type Ruling,
  UsedReceipts,
} from '#domain/reviews';
import { type CollectionKey, collectionStream } from '../collection.events.js';
import { collectionDecider, type CollectionView, viewOf } from '../collection.js';
import { collectionReview } from './collection-review.js';
import { decideReview, needsTwoOperators, type RulingRefusal } from './review.decide.js';

export type ResolveRefusal = RulingRefusal | ProposalRefusal;

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
    private readonly merchants: MerchantDirectory,
  ) {}

  /** @throws DependencyUnavailable */
  async execute(command: ResolveReview): Promise<Result<Resolved, ResolveRefusal>> {
    const { key, ruling } = command;
    const subject = collectionReview(key, this.merchants);
    if (!needsTwoOperators(ruling.decision)) return this.decide(command);
    const { pipeline, proposals, receipts } = this;
    const proposed = await proposeRuling({ pipeline, proposals, receipts }, subject, command);
    return proposed.ok ? ok({ kind: 'proposed', proposal: proposed.value }) : proposed;
  }

  private async decide({
    key,
    ruling,
    metadata,
  }: ResolveReview): Promise<Result<Resolved, ResolveRefusal>> {
    const stream = collectionStream(key);
    const deciders = { reason: metadata.reason, proposedBy: metadata.actor.id };
    const done = await this.pipeline.run(
      { decider: collectionDecider, stream, metadata },
      (state) => decideReview(ruling, deciders, state, undefined),
    );
    if (!done.ok) return done;
    const waiting = await this.proposals.findOpen(stream);
    if (waiting) await this.proposals.end(waiting.id, 'replaced');
    return ok({ kind: 'decided', view: viewOf(done.value.state) });
  }
}
