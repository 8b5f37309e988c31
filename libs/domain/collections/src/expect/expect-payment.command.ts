import { type CommandMetadata, Pipeline, type Proof } from '#domain/event-sourcing';
import { ok, type Result } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { collectionDecider, type CollectionView, viewOf } from '../collection.js';
import { type CollectionKey, collectionStream } from '../collection.events.js';
import {
  initiated,
  type Initiated,
  initiatedBefore,
} from '../initiate/initiate-collection.command.js';
import { type ReceivedPayment } from '../receive/receive-payment.decide.js';
import {
  decideExpectPayment,
  decideReceiveExpected,
  type ExpectedPayment,
} from './expect-payment.decide.js';

/**
 * Records that a merchant expects a payment without a push. If the reference exists already, nothing is recorded and
 * the answer is its current state.
 */
export class ExpectPayment extends Command<Result<Initiated, never>> {
  constructor(
    readonly expected: ExpectedPayment,
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(ExpectPayment)
export class ExpectPaymentHandler implements ICommandHandler<ExpectPayment> {
  constructor(private readonly pipeline: Pipeline) {}

  /** @throws EventStoreUnavailable */
  async execute({ expected, metadata }: ExpectPayment): Promise<Result<Initiated, never>> {
    const { account, reference } = expected;
    const { merchantId, mode } = account;
    const stream = collectionStream({ merchantId, mode, reference });
    const step = { decider: collectionDecider, stream, metadata };
    const begun = await this.pipeline.begin(step, decideExpectPayment(expected));
    return ok(begun.ok ? initiated(begun.value) : initiatedBefore(await this.pipeline.load(step)));
  }
}

/** Records a payment whose customer named an expected one; safe to repeat. */
export class ReceiveExpected extends Command<Result<CollectionView, 'not_expected'>> {
  constructor(
    readonly key: CollectionKey,
    readonly received: Omit<ReceivedPayment, 'isNamed'>,
    /** Its evidence is the rail's message. */
    readonly metadata: CommandMetadata & Proof,
  ) {
    super();
  }
}

@CommandHandler(ReceiveExpected)
export class ReceiveExpectedHandler implements ICommandHandler<ReceiveExpected> {
  constructor(private readonly pipeline: Pipeline) {}

  /** @throws EventStoreUnavailable; WrongExpectedRevision after eight lost races */
  async execute({
    key,
    received,
    metadata,
  }: ReceiveExpected): Promise<Result<CollectionView, 'not_expected'>> {
    const done = await this.pipeline.run(
      { decider: collectionDecider, stream: collectionStream(key), metadata },
      (state) => decideReceiveExpected(received, state, metadata.commitment),
    );
    return done.ok ? ok(viewOf(done.value.state)) : done;
  }
}
