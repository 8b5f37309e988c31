import { type Pipeline, type RecordedEvent } from '#domain/event-sourcing';
import { type Instant } from '#domain/kernel';
import { type Action, permits } from './permissions.js';
import { areOfTwoIssuers, isMachinesOwner, personOf } from './person.js';
import { type RoleEvent, roleStream } from './role.events.js';
import { roleDecider, rolesOf } from './roles.js';

/** Two people who decide together, each as `actor.id`, and the time of the proposal. */
interface Deciders {
  readonly proposedBy: string;
  readonly confirmedBy: string;
  readonly proposedAt?: Instant | undefined;
}

/**
 * Whether who proposed is still permitted it (PEO-16), by the log as it is now: where two decide, both may when it takes
 * effect. A typed name counts until the log has roles. The owner of a machine of `npm start` has no roles and counts.
 * Whom another issuer named than who confirms may decide no more: the two may be one person (PEO-17). What somebody proposed
 * before they were suspended is confirmed by nobody, even once they may act again (PEO-56).
 * @throws EventStoreUnavailable
 */
export async function isStillPermitted(
  pipeline: Pipeline,
  action: Action,
  { proposedBy, confirmedBy, proposedAt }: Deciders,
): Promise<boolean> {
  if (areOfTwoIssuers(proposedBy, confirmedBy)) return false;
  const person = personOf(proposedBy);
  if (person && isMachinesOwner(person)) return true;
  const { state, events } = await pipeline.load({ decider: roleDecider, stream: roleStream });
  // A typed name may be anybody's, the one who confirms included.
  if (!person) return !state.wasBegun;
  if (proposedAt && wasSuspendedSince(events, proposedBy, proposedAt)) return false;
  return permits(rolesOf(state, proposedBy), action);
}

/** True if a person was suspended at a moment or later. */
export function wasSuspendedSince(
  events: readonly RecordedEvent<RoleEvent>[],
  person: string,
  since: Instant,
): boolean {
  return events.some(
    ({ type, data, recordedAt }) =>
      type === 'AdminSuspended' && data.person === person && recordedAt >= since,
  );
}
