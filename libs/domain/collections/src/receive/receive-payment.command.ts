import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandMetadata, Pipeline, type Proof } from '#domain/event-sourcing';
import { type CollectionView, collectionDecider, viewOf } from '../collection.js';
import { type CollectionKey, collectionStream } from '../collection.events.js';
import {
  decideReceivePayment,
  type ReceivedPayment,
  receivedReference,
} from './receive-payment.decide.js';

/** The key of the collection that a payment without a push becomes. */
export function receivedKey({
  payment,
  account: { mode, merchantId },
}: Pick<ReceivedPayment, 'payment' | 'account'>): CollectionKey {
  return { mode, merchantId, reference: receivedReference(payment) };
}

/** Records a payment that came without a push; safe to repeat. */
export class ReceivePayment extends Command<CollectionView> {
  constructor(
    readonly received: ReceivedPayment,
    /** Its evidence is the rail's message. */
    readonly metadata: CommandMetadata & Proof,
  ) {
    super();
  }
}

/** The first append of the stream asserts that there is none, so a payment that is reported twice is posted once. */
@CommandHandler(ReceivePayment)
export class ReceivePaymentHandler implements ICommandHandler<ReceivePayment> {
  constructor(private readonly pipeline: Pipeline) {}

  /** @throws EventStoreUnavailable */
  async execute({ received, metadata }: ReceivePayment): Promise<CollectionView> {
    const stream = collectionStream(receivedKey(received));
    const step = { decider: collectionDecider, stream, metadata };
    const events = decideReceivePayment(received, metadata.commitment);
    const begun = await this.pipeline.begin(step, events);
    return viewOf(begun.ok ? begun.value.state : (await this.pipeline.load(step)).state);
  }
}
