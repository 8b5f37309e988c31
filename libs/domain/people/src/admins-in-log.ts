import { type Pipeline } from '#domain/event-sourcing';
import { type Instant, isSameName } from '#domain/kernel';
import { Admins, type Standing } from '#domain/proposals';
import { areOfTwoIssuers } from './person.js';
import { roleStream } from './role.events.js';
import { isAdmin, roleDecider } from './roles.js';
import { wasSuspendedSince } from './still-permitted.js';

/**
 * Admins in the stream of roles. It is read from the leader each time, because a few people decide a few times a day.
 */
export class AdminsInLog extends Admins {
  constructor(private readonly pipeline: Pipeline) {
    super();
  }

  override async standingOf(by: string): Promise<Standing> {
    const step = { decider: roleDecider, stream: roleStream };
    const { state, revision } = await this.pipeline.load(step);
    if (revision === 'no_stream') return 'no_roles';
    return isAdmin(state, by) ? 'admin' : 'no_admin';
  }

  override async wasSuspendedSince(person: string, since: Instant): Promise<boolean> {
    const { events } = await this.pipeline.load({ decider: roleDecider, stream: roleStream });
    return wasSuspendedSince(events, person, since);
  }

  override areTwo(one: string, other: string): boolean {
    return !isSameName(one, other) && !areOfTwoIssuers(one, other);
  }
}
