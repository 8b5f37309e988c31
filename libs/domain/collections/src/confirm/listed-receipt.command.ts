import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { ok, type Result } from '#domain/kernel';
import { collectionDecider } from '../collection.js';
import { type CollectionKey, collectionStream } from '../collection.events.js';
import { decideListedReceipt, isOwnPayment, type ListedPayment } from './listed-receipt.decide.js';

/**
 * `own`: the payment is the money that the ledger holds for the collection. `other`: it is not, and a person must check
 * it.
 */
export type Listed = 'own' | 'other';

/** Applies a payment of the rail's list to the collection that has its code; safe to repeat. */
export class RecordListedReceipt extends Command<Result<Listed, 'unknown_collection'>> {
  constructor(
    readonly key: CollectionKey,
    readonly payment: ListedPayment,
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(RecordListedReceipt)
export class RecordListedReceiptHandler implements ICommandHandler<RecordListedReceipt> {
  constructor(private readonly pipeline: Pipeline) {}

  /** @throws EventStoreUnavailable */
  async execute({
    key,
    payment,
    metadata,
  }: RecordListedReceipt): Promise<Result<Listed, 'unknown_collection'>> {
    const done = await this.pipeline.run(
      { decider: collectionDecider, stream: collectionStream(key), metadata },
      (state) => decideListedReceipt(payment, state),
    );
    if (!done.ok) return done;
    return ok(isOwnPayment(payment, done.value.state) ? 'own' : 'other');
  }
}
