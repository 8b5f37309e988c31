import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { ok, type Result } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { roleStream } from '../role.events.js';
import { roleDecider } from '../roles.js';
import { decideFirstAdmins, type FirstAdmin, type FirstAdminsRefusal } from '../roles.decide.js';

/** The machine's owner names the first two admins, once. */
export class GrantFirstAdmins extends Command<Result<undefined, FirstAdminsRefusal>> {
  constructor(
    readonly admins: readonly [FirstAdmin, FirstAdmin],
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(GrantFirstAdmins)
export class GrantFirstAdminsHandler implements ICommandHandler<GrantFirstAdmins> {
  constructor(private readonly pipeline: Pipeline) {}

  /** @throws EventStoreUnavailable */
  async execute({
    admins,
    metadata,
  }: GrantFirstAdmins): Promise<Result<undefined, FirstAdminsRefusal>> {
    const step = { decider: roleDecider, stream: roleStream, metadata };
    const done = await this.pipeline.run(step, (state) =>
      decideFirstAdmins(admins, metadata.actor.id, state),
    );
    return done.ok ? ok(undefined) : done;
  }
}
