import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { ok, type Result } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type NamedPerson, roleStream } from '../role.events.js';
import { roleDecider } from '../roles.js';
import { type AnnounceRefusal, decideAnnounce } from './break-glass.decide.js';

/** Announces a new admin, because fewer than two admins are usable (PEO-58). */
export class AnnounceBreakGlass extends Command<Result<undefined, AnnounceRefusal>> {
  constructor(
    readonly admin: NamedPerson,
    /** Its actor is the machine's owner, and the reason is required. */
    readonly metadata: CommandMetadata & { readonly reason: string },
  ) {
    super();
  }
}

@CommandHandler(AnnounceBreakGlass)
export class AnnounceBreakGlassHandler implements ICommandHandler<AnnounceBreakGlass> {
  constructor(private readonly pipeline: Pipeline) {}

  /** @throws EventStoreUnavailable */
  async execute({
    admin,
    metadata,
  }: AnnounceBreakGlass): Promise<Result<undefined, AnnounceRefusal>> {
    const step = { decider: roleDecider, stream: roleStream, metadata };
    const done = await this.pipeline.run(step, (state) =>
      decideAnnounce(admin, metadata.actor.id, state),
    );
    return done.ok ? ok(undefined) : done;
  }
}
