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
import { type Payout } from '../payout.js';
import { type PayoutBatchKey, payoutBatchStream } from './payout-batch.events.js';
import { payoutBatchDecider } from './payout-batch.js';
import { type LoadedBatch } from './batch-step.js';
import { PayoutBatches } from './payout-batches.js';

/** A batch, read from the leader: never behind. */
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
 * Payouts by their references, as the log has them: as many reads as references, for whoever must not be behind.
 * DependencyUnavailable where too many batches are at work.
 */
export class FindPayouts extends Query<ReadonlyMap<string, Payout>> {
  constructor(
    readonly key: Omit<PayoutBatchKey, 'reference'>,
    readonly references: readonly string[],
  ) {
    super();
  }
}

@QueryHandler(FindPayouts)
export class FindPayoutsHandler implements IQueryHandler<FindPayouts> {
  constructor(private readonly batches: PayoutBatches) {}

  execute({ key, references }: FindPayouts): Promise<ReadonlyMap<string, Payout>> {
    return this.batches.atWork.admitted(key, () => this.batches.payoutsOf(key, references));
  }
}

/** Takes the steps that a process that died has left of a batch; safe to repeat. */
export class CompletePayoutBatch extends Command<Result<'settled', 'unknown_batch'>> {
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
  }: CompletePayoutBatch): Promise<Result<'settled', 'unknown_batch'>> {
    const { state } = await this.batches.settle(key, metadata);
    return state.status === 'none' ? refuse('unknown_batch') : ok('settled');
  }
}
