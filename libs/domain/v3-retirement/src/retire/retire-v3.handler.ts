import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { EventStore, Pipeline } from '#domain/event-sourcing';
import { ok, type Result } from '#domain/kernel';
import { type RetirementEvent, retirementStream } from '../retirement.events.js';
import { retirementDecider, retirementHistory } from '../retirement.js';
import { type RetiredV3, RetireV3 } from './retire-v3.command.js';
import { decideRetireV3, type MissingToRetire } from './retire-v3.decide.js';

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
