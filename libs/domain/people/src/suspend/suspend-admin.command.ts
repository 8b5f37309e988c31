import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { ok, type Result } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { PersonSessions } from '../person-sessions.js';
import { RoleProposals } from '../role-proposals.js';
import { roleStream } from '../role.events.js';
import { roleDecider } from '../roles.js';
import { decideSuspend, type SuspendRefusal } from './suspension.decide.js';

/** An admin suspends another; it acts within a second (PEO-55). Safe to repeat. */
export class SuspendAdmin extends Command<Result<undefined, SuspendRefusal>> {
  constructor(
    /** As `personId` writes it. */
    readonly person: string,
    /** The admin is the actor; the reason is needed. */
    readonly metadata: CommandMetadata & { readonly reason: string },
  ) {
    super();
  }
}

/**
 * Appends the event, by which the person's roles no longer count, then ends sessions and proposals. After a crash in between,
 * whatever is left of them can do nothing, and unsuspending ends it first.
 */
@CommandHandler(SuspendAdmin)
export class SuspendAdminHandler implements ICommandHandler<SuspendAdmin> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly sessions: PersonSessions,
    private readonly proposals: RoleProposals,
  ) {}

  /** @throws DependencyUnavailable */
  async execute({ person, metadata }: SuspendAdmin): Promise<Result<undefined, SuspendRefusal>> {
    const by = metadata.actor.id;
    const step = { decider: roleDecider, stream: roleStream, metadata };
    const done = await this.pipeline.run(step, (state) => decideSuspend(person, by, state));
    if (!done.ok) return done;
    await this.sessions.endAllOf(person);
    await this.proposals.endAllBy(person, by);
    return ok(undefined);
  }
}
