import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { refuse, type Result } from '#domain/kernel';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { type FoundPayment, isReceiptFree, UsedReceipts } from '#domain/reviews';
import { type CollectionKey, collectionStream } from '../collection.events.js';
import { type Resolved, type ResolveRefusal, ResolveReview } from './resolve-review.command.js';
import { collectionDecider } from '../collection.js';
import { decideFlagCollection } from '../query-rail/flag-collection.decide.js';

/** `not_possible`: money is recorded for it already, so its own review decides. */
export type OpenReviewRefusal = ResolveRefusal;

/**
 * Lists a collection for review and proposes that it was paid, because an operator found the payment on the rail's
 * statement first. Safe to repeat.
 */
export class OpenReview extends Command<Result<Resolved, OpenReviewRefusal>> {
  constructor(
    readonly key: CollectionKey,
    readonly payment: FoundPayment,
    readonly metadata: CommandMetadata & { readonly reason: string },
  ) {
    super();
  }
}

/** Flags first, then proposes. A repeat after a crash in between proposes. */
@CommandHandler(OpenReview)
export class OpenReviewHandler implements ICommandHandler<OpenReview> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly receipts: UsedReceipts,
    private readonly commandBus: CommandBus,
  ) {}

  /** @throws DependencyUnavailable */
  async execute({
    key,
    payment,
    metadata,
  }: OpenReview): Promise<Result<Resolved, OpenReviewRefusal>> {
    const stream = collectionStream(key);
    const step = { decider: collectionDecider, stream, metadata };
    const before = await this.pipeline.load(step);
    const { status } = before.state;
    if (status === 'none') return refuse('unknown_collection');
    if (status !== 'pending' && status !== 'failed') return refuse('not_possible');
    if (payment.amountMinor < 1n) return refuse('invalid_amount');
    const { mode } = key;
    if (!(await isReceiptFree(this.receipts, { mode, stream, receipt: payment.receipt })))
      return refuse('receipt_taken');
    const flagged = await this.pipeline.run(
      step,
      (state) => decideFlagCollection('opened_by_operator', state),
      before,
    );
    if (!flagged.ok) return flagged;
    const ruling = { decision: 'paid', payment } as const;
    return this.commandBus.execute(new ResolveReview(key, ruling, metadata));
  }
}
