import { type FoundPayment, isReceiptFree, type Proposal, UsedReceipts } from '#domain/reviews';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { refuse, type Result } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { payoutStep } from '../funds/payout-funds.js';
import { type PayoutKey, payoutStream } from '../payout.events.js';
import { decideOpenPayoutReview } from './payout-review.decide.js';
import {
  ResolvePayoutReview,
  ResolvePayoutReviewHandler,
  type ResolvePayoutRefusal,
} from './resolve-payout-review.command.js';

/**
 * Lists a payout for review and proposes that it was paid, because an operator found the payment on the rail's
 * statement first (PAY-31). Safe to repeat.
 */
export class OpenPayoutReview extends Command<Result<Proposal, ResolvePayoutRefusal>> {
  constructor(
    readonly key: PayoutKey,
    readonly payment: FoundPayment,
    readonly metadata: CommandMetadata & { readonly reason: string },
  ) {
    super();
  }
}

/** Flags first, then proposes. A repeat after a crash in between proposes. */
@CommandHandler(OpenPayoutReview)
export class OpenPayoutReviewHandler implements ICommandHandler<OpenPayoutReview> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly receipts: UsedReceipts,
    private readonly resolving: ResolvePayoutReviewHandler,
  ) {}

  /** @throws DependencyUnavailable */
  async execute({
    key,
    payment,
    metadata,
  }: OpenPayoutReview): Promise<Result<Proposal, ResolvePayoutRefusal>> {
    const { mode } = key;
    const stream = payoutStream(key);
    const step = payoutStep(stream, metadata);
    const before = await this.pipeline.load(step);
    const first = decideOpenPayoutReview(payment, before.state);
    if (!first.ok) return first;
    if (!(await isReceiptFree(this.receipts, { mode, stream, receipt: payment.receipt })))
      return refuse('receipt_taken');
    const flagged = await this.pipeline.run(
      step,
      (state) => decideOpenPayoutReview(payment, state),
      before,
    );
    if (!flagged.ok) return flagged;
    const ruling = { decision: 'paid', payment } as const;
    return this.resolving.execute(new ResolvePayoutReview(key, ruling, metadata));
  }
}
