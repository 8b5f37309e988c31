import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { ok, refuse, type Result } from '#domain/kernel';
import {
  Command,
  CommandHandler,
  type ICommandHandler,
  type IQueryHandler,
  Query,
  QueryHandler,
} from '@nestjs/cqrs';
import { type PayoutBatchKey, payoutBatchStream } from './payout-batch.events.js';
import { payoutBatchDecider } from './payout-batch.js';
import { type LoadedBatch } from './batch-step.js';
import { PayoutBatches } from './payout-batches.js';

/** Reads a batch from the leader, so it is never behind. */
export class FindPayoutBatch extends Query<LoadedBatch> {
  constructor(readonly key: PayoutBatchKey) {
    super();
  }
}

@QueryHandler(FindPayoutBatch)
export class FindPayoutBatchHandler implements IQueryHandler<FindPayoutBatch> {
  constructor(private readonly pipeline: Pipeline) {}

  execute({ key }: FindPayoutBatch): Promise<LoadedBatch> {
    return this.pipeline.load({ decider: payoutBatchDecider, stream: payoutBatchStream(key) });
  }
}

/**
 * Completes the steps that a dead process left of a batch; safe to repeat. `kept`: the records know that the rail was
 * given a payout of it, so operators must take its next step (PAY-61).
 */
export class CompletePayoutBatch extends Command<Result<'settled' | 'kept', 'unknown_batch'>> {
  constructor(
    readonly key: PayoutBatchKey,
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(CompletePayoutBatch)
export class CompletePayoutBatchHandler implements ICommandHandler<CompletePayoutBatch> {
  constructor(private readonly batches: PayoutBatches) {}

  /** @throws DependencyUnavailable */
  async execute({
    key,
    metadata,
  }: CompletePayoutBatch): Promise<Result<'settled' | 'kept', 'unknown_batch'>> {
    const { state, isKept } = await this.batches.settle(key, metadata);
    if (state.status === 'none') return refuse('unknown_batch');
    return ok(isKept ? 'kept' : 'settled');
  }
}
