import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandMetadata, EventStore, Pipeline } from '#domain/event-sourcing';
import { ok, type Result } from '#domain/kernel';
import { decideRetireV3, type MissingToRetire, type RetirementFacts } from './retire-v3.decide.js';
import { type RetirementEvent, retirementStream } from '../retirement.events.js';
import { retirementDecider, retirementHistory } from '../retirement.js';

/** Position of V3Retired in the log, if this call appended it. */
export interface RetiredV3 {
  readonly position: bigint | undefined;
}

/** Ends V3 for good if no condition is missing. The handler reads the time of the notice. */
export class RetireV3 extends Command<Result<RetiredV3, readonly MissingToRetire[]>> {
  constructor(
    readonly facts: Omit<RetirementFacts, 'noticedAt'>,
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(RetireV3)
export class RetireV3Handler implements ICommandHandler<RetireV3> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly store: EventStore,
  ) {}

  async execute({
    facts,
    metadata,
  }: RetireV3): Promise<Result<RetiredV3, readonly MissingToRetire[]>> {
    const events = await this.store.readStream<RetirementEvent>(retirementStream);
    const { noticedAt, ...known } = retirementHistory(events);
    const retired = await this.pipeline.run(
      { decider: retirementDecider, stream: retirementStream, metadata },
      (state) => decideRetireV3({ ...facts, noticedAt }, state),
      known,
    );
    return retired.ok ? ok({ position: retired.value.appended?.position }) : retired;
  }
}
