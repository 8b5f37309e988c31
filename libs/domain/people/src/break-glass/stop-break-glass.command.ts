import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { ok, type Result } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { roleStream } from '../role.events.js';
import { roleDecider } from '../roles.js';
import { decideStop, type StopRefusal } from './break-glass.decide.js';

/** An admin, suspended or not, stops the open announcement (PEO-59). */
export class StopBreakGlass extends Command<Result<undefined, StopRefusal>> {
  constructor(
    /** Its actor is the admin, and the reason is required. */
    readonly metadata: CommandMetadata & { readonly reason: string },
  ) {
    super();
  }
}

@CommandHandler(StopBreakGlass)
export class StopBreakGlassHandler implements ICommandHandler<StopBreakGlass> {
  constructor(private readonly pipeline: Pipeline) {}

  /** @throws EventStoreUnavailable */
  async execute({ metadata }: StopBreakGlass): Promise<Result<undefined, StopRefusal>> {
    const step = { decider: roleDecider, stream: roleStream, metadata };
    const done = await this.pipeline.run(step, (state) => decideStop(metadata.actor.id, state));
    return done.ok ? ok(undefined) : done;
  }
}
