import { type Pipeline } from '#domain/event-sourcing';
import { type Action, permits } from './permissions.js';
import { areOfTwoIssuers, isMachinesOwner, personOf } from './person.js';
import { roleStream } from './role.events.js';
import { roleDecider, rolesOf } from './roles.js';

/**
 * Whether who proposed is still permitted it (PEO-16), by the log as it is now: where two decide, both may when it takes
 * effect. A name that was typed has no roles, and whoever has a machine of `npm start` none either: both count as they are.
 * Whom another issuer named than who confirms may decide no more: the two may be one person (PEO-17).
 * @param two each as `actor.id`
 * @throws EventStoreUnavailable
 */
export async function isStillPermitted(
  pipeline: Pipeline,
  action: Action,
  { proposedBy, confirmedBy }: { readonly proposedBy: string; readonly confirmedBy: string },
): Promise<boolean> {
  if (areOfTwoIssuers(proposedBy, confirmedBy)) return false;
  const person = personOf(proposedBy);
  if (!person || isMachinesOwner(person)) return true;
  const { state } = await pipeline.load({ decider: roleDecider, stream: roleStream });
  return permits(rolesOf(state, proposedBy), action);
}
