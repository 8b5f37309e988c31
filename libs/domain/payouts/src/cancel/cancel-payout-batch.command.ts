import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { ok, refuse, type Result, Timer, within } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { batchStep, isIn, type LoadedBatch } from '../batch/batch-step.js';
import { type GoesOn } from '../batch/batches-at-work.js';
import { type DecidedPayoutBatch } from '../batch/decide-payout-batch.command.js';
import { type PayoutBatchKey, type PayoutBatchRejected } from '../batch/payout-batch.events.js';
import { type PayoutBatch, payoutBatchViewOf } from '../batch/payout-batch.js';
import { PayoutBatches } from '../batch/payout-batches.js';
import { answerWithinMs } from '../batch/request-payout-batch.command.js';
import { withoutEvidence } from '../funds/without-evidence.js';
import { isStoppable } from './cancel-payout.decide.js';

/**
 * The refusal of one payout's cancellation, for a batch. An approved batch is refused if none of its payouts can be
 * stopped any more.
 */
export interface BatchCancelRefusal {
  readonly code: 'unknown_batch' | 'not_cancellable';
  /**
   * The references of payouts that prevent the cancellation: they were never sent by the log, but the records know that
   * the rail was given them. They are listed for review (PAY-61).
   */
  readonly given: readonly string[];
}

/** One person stops the payouts of a batch that were not given to the rail, approved or not. Safe to repeat. */
export class CancelPayoutBatch extends Command<Result<DecidedPayoutBatch, BatchCancelRefusal>> {
  constructor(
    readonly key: PayoutBatchKey,
    readonly holder: string,
    /** It includes the evidence of the cancellation's own request. */
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(CancelPayoutBatch)
export class CancelPayoutBatchHandler implements ICommandHandler<CancelPayoutBatch> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly batches: PayoutBatches,
    private readonly timer: Timer,
  ) {}

  /** @throws DependencyUnavailable */
  async execute(
    command: CancelPayoutBatch,
  ): Promise<Result<DecidedPayoutBatch, BatchCancelRefusal>> {
    const { key, holder, metadata } = command;
    const before = await this.pipeline.load(batchStep(key, metadata));
    // A repeat takes no place from a first cancellation. The worker ends what a crash has left.
    if (isBatchCancelled(before.state))
      return ok({ ...answerOf(before.state, before.position), isRepeated: true });
    // One operator has one share of the places, at however many merchants.
    const { kind, id } = metadata.actor;
    const owner = kind === 'operator' ? id : JSON.stringify([key.merchantId, holder]);
    return this.batches.cancelling[key.mode].admitted(owner, (goesOn) =>
      this.cancel(command, before, goesOn),
    );
  }

  private async cancel(
    { key, holder, metadata }: CancelPayoutBatch,
    before: LoadedBatch,
    goesOn: GoesOn,
  ): Promise<Result<DecidedPayoutBatch, BatchCancelRefusal>> {
    const step = batchStep(key, metadata);
    const part = await this.stoppable(before);
    const decide = (state: PayoutBatch) => decideCancelBatch({ holder, ...part }, state);
    const done = await this.pipeline.run(step, decide, before);
    if (!done.ok) return done;
    const settling = this.batches.settle(key, withoutEvidence(metadata));
    goesOn(settling);
    // The cancellation is recorded. If its payouts take longer than the caller may wait, they follow on their own.
    const { position } = (await within(this.timer, settling, answerWithinMs)) ?? done.value;
    return ok(answerOf(done.value.state, position));
  }

  private async stoppable(batch: LoadedBatch): Promise<Stoppable> {
    if (!isIn(batch, 'requested') && !isIn(batch, 'approved'))
      return { given: [], isPartLeft: false };
    const { request } = batch.state;
    const payouts = await this.batches.payoutsOf(request, request.references);
    const left = request.references.filter((reference) => {
      const payout = payouts.get(reference);
      return payout === undefined || payout.status === 'none' || isStoppable(payout);
    });
    return { given: await this.batches.keepGiven(batch, left), isPartLeft: left.length > 0 };
  }
}

function answerOf(
  state: PayoutBatch,
  position: LoadedBatch['position'] | undefined,
): DecidedPayoutBatch {
  return { view: payoutBatchViewOf(state), ...(position === undefined ? {} : { position }) };
}

/** Facts from outside the batch's own stream. */
interface Stoppable {
  /** True if a payout of it was not given to the rail, by the log. */
  readonly isPartLeft: boolean;
  /** The payouts among those that the rail was given by the records: the log was restored to an earlier point. */
  readonly given: readonly string[];
}

/**
 * Decides the end of the part of a batch that was not given to the rail. If it is cancelled already, nothing is added.
 */
export function decideCancelBatch(
  { holder, given, isPartLeft }: Stoppable & { readonly holder: string },
  state: PayoutBatch,
): Result<readonly PayoutBatchRejected[], BatchCancelRefusal> {
  if (state.status === 'none') return refuse({ code: 'unknown_batch', given });
  if (isBatchCancelled(state)) return ok([]);
  const isOpen = state.status === 'requested' || state.status === 'approved';
  if (!isOpen || !isPartLeft || given.length > 0) return refuse({ code: 'not_cancellable', given });
  const { count, amountMinor } = state.request;
  const data = { reason: 'cancelled', holder, count, amountMinor } as const;
  return ok([{ type: 'PayoutBatchRejected', data }]);
}

export function isBatchCancelled(state: PayoutBatch): boolean {
  return (
    state.status === 'cancelled' || (state.status === 'rejected' && state.reason === 'cancelled')
  );
}
