import {
  type Collection,
  collectionDecider,
  type CollectionEvent,
  collectionStream,
  decideEndRefund,
  decideReserveRefund,
  isRefundOwed,
} from '#domain/collections';
import { type CommandMetadata, type Pipeline, type Step } from '#domain/event-sourcing';
import { ok, refuse, type Result } from '#domain/kernel';
import { withoutEvidence } from '../funds/without-evidence.js';
import { type PayoutRequest } from '../payout.js';

/**
 * The claims of refunds on their collections (REF-4). A claim is a fact in the collection's own stream, so two refunds
 * never give back the same money. All methods are safe to repeat, and do nothing for a payout that is no refund.
 */
export class RefundClaims {
  constructor(private readonly pipeline: Pipeline) {}

  /** @throws EventStoreUnavailable */
  async reserve(
    request: PayoutRequest,
    metadata: CommandMetadata,
  ): Promise<Result<undefined, 'already_refunded'>> {
    const step = claimStep(request, metadata);
    if (!step) return ok(undefined);
    const done = await this.pipeline.run(step, (state) =>
      decideReserveRefund(termsOf(request), state),
    );
    return done.ok ? ok(undefined) : refuse('already_refunded');
  }

  /**
   * True if the payout is no refund, or a refund that may be sent now (REF-10).
   * @throws EventStoreUnavailable
   */
  async isOwed({ mode, merchantId, reference, refund }: PayoutRequest): Promise<boolean> {
    if (!refund) return true;
    const stream = collectionStream({ mode, merchantId, reference: refund.reference });
    const { state } = await this.pipeline.load({ decider: collectionDecider, stream });
    return isRefundOwed(reference, state);
  }

  /** @throws EventStoreUnavailable */
  async end(
    request: PayoutRequest,
    outcome: 'paid' | 'released',
    metadata: CommandMetadata,
  ): Promise<void> {
    const step = claimStep(request, metadata);
    if (!step) return;
    await this.pipeline.run<Collection, CollectionEvent, never>(step, (state) =>
      ok(decideEndRefund(termsOf(request), outcome, state)),
    );
  }
}

/** The claim is the service's own step, so the evidence stays with the payout's stream. */
function claimStep(
  { mode, merchantId, refund }: PayoutRequest,
  metadata: CommandMetadata,
): Step<Collection, CollectionEvent> | undefined {
  if (!refund) return undefined;
  const stream = collectionStream({ mode, merchantId, reference: refund.reference });
  return { decider: collectionDecider, stream, metadata: withoutEvidence(metadata) };
}

function termsOf({ reference, amountMinor }: PayoutRequest) {
  return { payoutReference: reference, amountMinor };
}
