import { type Pipeline, type RecordedEvent } from '#domain/event-sourcing';
import { type Instant, type Mode } from '#domain/kernel';
import { type Action, permits } from './permissions.js';
import { areOfTwoIssuers, isMachinesOwner, personOf } from './person.js';
import { type RoleEvent, roleStream } from './role.events.js';
import { roleDecider, rolesOf } from './roles.js';

/** Two people who decide together, each as `actor.id`, the time of the proposal, and the mode of what they decide on. */
interface Deciders {
  readonly mode: Mode;
  readonly proposedBy: string;
  readonly confirmedBy: string;
  readonly proposedAt: Instant;
}

/**
 * True if both people are permitted to decide (PEO-16), by the current log: the confirmer too may have lost the right
 * since the command began.
 * - A typed name counts until the log has roles, and never in live mode: one person may type two names.
 * - The owner of a machine of `npm start` has no roles and counts in demo mode.
 * - A proposer from another issuer than the confirmer's does not count, because the two may be one person (PEO-17).
 * - No proposal from before a suspension can be confirmed, even after the suspension ends (PEO-56).
 * @param actions the proposer's, and the confirmer's
 * @throws EventStoreUnavailable
 */
export async function isStillPermitted(
  pipeline: Pipeline,
  [proposing, confirming]: readonly [proposing: Action, confirming: Action],
  { mode, proposedBy, confirmedBy, proposedAt }: Deciders,
): Promise<boolean> {
  if (areOfTwoIssuers(proposedBy, confirmedBy)) return false;
  const { state, events } = await pipeline.load({ decider: roleDecider, stream: roleStream });
  if (wasSuspendedSince(events, proposedBy, proposedAt)) return false;
  const may = (who: string, action: Action): boolean => {
    const person = personOf(who);
    // A typed name may belong to any person, even the other of the two.
    if (!person) return mode === 'demo' && !state.wasBegun;
    if (isMachinesOwner(person)) return mode === 'demo';
    return permits(rolesOf(state, who), action);
  };
  return may(proposedBy, proposing) && may(confirmedBy, confirming);
}

/** True if a person was suspended at this moment or later. */
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
