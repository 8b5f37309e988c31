import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { ok, type Result } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { type HeldRole } from '../permissions.js';
import { roleStream } from '../role.events.js';
import { roleDecider } from '../roles.js';
import { decideRevoke, type RevokeRefusal } from '../roles.decide.js';

/** An admin revokes a role. It takes effect within a second (PEO-6). */
export class RevokeRole extends Command<Result<undefined, RevokeRefusal>> {
  constructor(
    readonly of: {
      /** The id that `personId` writes. */
      readonly person: string;
      readonly held: HeldRole;
    },
    /** Its actor is the admin. */
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(RevokeRole)
export class RevokeRoleHandler implements ICommandHandler<RevokeRole> {
  constructor(private readonly pipeline: Pipeline) {}

  /** @throws EventStoreUnavailable */
  async execute({ of, metadata }: RevokeRole): Promise<Result<undefined, RevokeRefusal>> {
    const step = { decider: roleDecider, stream: roleStream, metadata };
    const done = await this.pipeline.run(step, (state) =>
      decideRevoke(of, metadata.actor.id, state),
    );
    return done.ok ? ok(undefined) : done;
  }
}
