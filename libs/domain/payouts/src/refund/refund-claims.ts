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
  async isOwed(request: PayoutRequest): Promise<boolean> {
    const collection = await this.collectionOf(request);
    return collection === undefined || isRefundOwed(request.reference, collection);
  }

  /**
   * True if the payout is a refund whose claim has not ended.
   * @throws EventStoreUnavailable
   */
  async isOpen(request: PayoutRequest): Promise<boolean> {
    const collection = await this.collectionOf(request);
    if (collection?.status !== 'completed') return false;
    return collection.refunds.byPayout.get(request.reference)?.status === 'open';
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

  /** Loads the refunded collection; undefined if the payout is no refund. */
  private async collectionOf(request: PayoutRequest): Promise<Collection | undefined> {
    const stream = streamOf(request);
    if (stream === undefined) return undefined;
    const { state } = await this.pipeline.load({ decider: collectionDecider, stream });
    return state;
  }
}

/** The claim is the service's own step, so the evidence stays with the payout's stream. */
function claimStep(
  request: PayoutRequest,
  metadata: CommandMetadata,
): Step<Collection, CollectionEvent> | undefined {
  const stream = streamOf(request);
  if (stream === undefined) return undefined;
  return { decider: collectionDecider, stream, metadata: withoutEvidence(metadata) };
}

/** Returns the stream of the refunded collection; undefined if the payout is no refund. */
function streamOf({ mode, merchantId, refund }: PayoutRequest): string | undefined {
  return refund && collectionStream({ mode, merchantId, reference: refund.reference });
}

function termsOf({ reference, amountMinor }: PayoutRequest) {
  return { payoutReference: reference, amountMinor };
}
