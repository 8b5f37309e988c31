import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { ok, type Result } from '#domain/kernel';
import { Proposals } from '#domain/proposals';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { mayEndSessions } from '../sessions/end-sessions.command.js';
import { PersonSessions } from '../sessions/person-sessions.js';
import { roleStream } from '../role.events.js';
import { roleDecider } from '../roles.js';
import { decideSuspend, type SuspendRefusal } from './suspension.decide.js';

/** An admin suspends another. It takes effect within a second (PEO-55). Safe to repeat. */
export class SuspendAdmin extends Command<Result<undefined, SuspendRefusal>> {
  constructor(
    /** The id that `personId` writes. */
    readonly person: string,
    /** Its actor is the admin, and the reason is required. */
    readonly metadata: CommandMetadata & { readonly reason: string },
  ) {
    super();
  }
}

/**
 * Appends the event, after which the person's roles no longer count, then ends sessions and proposals. After a crash in
 * between, the remaining ones can do nothing, and the end of the suspension ends them first.
 */
@CommandHandler(SuspendAdmin)
export class SuspendAdminHandler implements ICommandHandler<SuspendAdmin> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly sessions: PersonSessions,
    private readonly proposals: Proposals,
  ) {}

  /** @throws DependencyUnavailable */
  async execute({ person, metadata }: SuspendAdmin): Promise<Result<undefined, SuspendRefusal>> {
    const by = metadata.actor.id;
    const step = { decider: roleDecider, stream: roleStream, metadata };
    const done = await this.pipeline.run(step, (state) => decideSuspend(person, by, state));
    if (!done.ok) return done;
    // A repeat must not end the sessions that the suspended admin began since, to stop a new admin (PEO-59).
    if (done.value.appended || mayEndSessions(person, by, done.value.state))
      await this.sessions.endAllOf(person);
    await this.proposals.endAllBy(person, by);
    return ok(undefined);
  }
}
