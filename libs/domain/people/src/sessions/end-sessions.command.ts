import { type CommandMetadata, Pipeline } from '#domain/event-sourcing';
import { ok, refuse, type Result } from '#domain/kernel';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { roleStream } from '../role.events.js';
import { mayStopAnnouncement, roleDecider, type Roles } from '../roles.js';
import { PersonSessions } from './person-sessions.js';

/** `new_admin_announced`: the person may still want to stop the announcement. */
export type EndSessionsRefusal = 'new_admin_announced';

/** One person ends the sessions of another, or their own. */
export class EndSessions extends Command<Result<undefined, EndSessionsRefusal>> {
  constructor(
    /** The id that `personId` writes. */
    readonly person: string,
    /** The hash of one session, or all. */
    readonly session: Buffer | 'all',
    readonly metadata: CommandMetadata,
  ) {
    super();
  }
}

@CommandHandler(EndSessions)
export class EndSessionsHandler implements ICommandHandler<EndSessions> {
  constructor(
    private readonly pipeline: Pipeline,
    private readonly sessions: PersonSessions,
  ) {}

  /** @throws DependencyUnavailable */
  async execute({
    person,
    session,
    metadata,
  }: EndSessions): Promise<Result<undefined, EndSessionsRefusal>> {
    const { state } = await this.pipeline.load({ decider: roleDecider, stream: roleStream });
    if (!mayEndSessions(person, metadata.actor.id, state)) return refuse('new_admin_announced');
    if (session === 'all') await this.sessions.endAllOf(person);
    else await this.sessions.endOneOf(person, session);
    return ok(undefined);
  }
}

/**
 * False for the sessions of another admin while a new one is announced: a rogue admin who ends each session as it
 * begins would keep the other from stopping the announcement (PEO-59).
 */
export function mayEndSessions(person: string, by: string, state: Roles): boolean {
  return person === by || state.announced === undefined || !mayStopAnnouncement(state, person);
}
