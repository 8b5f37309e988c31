import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { ok, type Result } from '#domain/kernel';
import { auditDecider, auditStream, type DayHead } from '../day-head.js';
import {
  type DayToSeal,
  decideSealDay,
  HeadSigner,
  type SealDayRefusal,
} from './seal-day.decide.js';

/**
 * Signs a day's head and stores it in history.
 * @returns the newest head
 */
export class SealDay extends Command<Result<DayHead | undefined, SealDayRefusal>> {
  constructor(
    readonly day: DayToSeal,
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(SealDay)
export class SealDayHandler implements ICommandHandler<SealDay> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly signer: HeadSigner,
  ) {}

  async execute({ day, metadata }: SealDay): Promise<Result<DayHead | undefined, SealDayRefusal>> {
    const sealed = await this.pipeline.run(
      { decider: auditDecider, stream: auditStream, metadata },
      (before) => decideSealDay(day, before, this.signer),
    );
    return sealed.ok ? ok(sealed.value.state.last) : sealed;
  }
}
