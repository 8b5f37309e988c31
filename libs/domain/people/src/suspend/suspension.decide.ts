import { ok, refuse, type Result } from '#domain/kernel';
import { areOfTwoIssuers } from '../person.js';
import { type AdminSuspended, type AdminUnsuspended } from '../role.events.js';
import { isAdmin, isNamedAdmin, type Roles } from '../roles.js';
import { type Granters } from '../roles.decide.js';

/** `not_admin`: the person who decides now is not an admin. `not_an_admin`: the person to suspend is not an admin. */
export type SuspendRefusal = 'not_admin' | 'own_role' | 'not_an_admin';

/**
 * One admin suspends another at once (PEO-55), even the last other one. One admin is always left: no admin can suspend
 * themselves, and if two suspend each other, the second is suspended already.
 */
export function decideSuspend(
  person: string,
  proposedBy: string,
  state: Roles,
): Result<readonly AdminSuspended[], SuspendRefusal> {
  if (!isAdmin(state, proposedBy)) return refuse('not_admin');
  if (person === proposedBy) return refuse('own_role');
  if (state.suspended.has(person)) return ok([]);
  if (!isNamedAdmin(state, person)) return refuse('not_an_admin');
  const name = state.held.get(person)?.[0]?.name ?? person;
  return ok([{ type: 'AdminSuspended', data: { person, name, proposedBy } }]);
}

/** The refusals of a grant, and `not_suspended`: the person is not suspended. */
export type UnsuspendRefusal =
  | 'not_admin'
  | 'proposer_not_admin'
  | 'own_role'
  | 'not_suspended'
  | 'second_admin_needed'
  | 'same_admin';

/** Two other admins, both usable, end a suspension (PEO-57). */
export function decideUnsuspend(
  person: string,
  { proposedBy, confirmedBy }: Granters,
  state: Roles,
): Result<readonly AdminUnsuspended[], UnsuspendRefusal> {
  if (!isAdmin(state, confirmedBy ?? proposedBy)) return refuse('not_admin');
  if (person === proposedBy || person === confirmedBy) return refuse('own_role');
  const name = state.suspended.get(person);
  if (name === undefined) return refuse('not_suspended');
  if (!isAdmin(state, proposedBy)) return refuse('proposer_not_admin');
  if (confirmedBy === undefined) return refuse('second_admin_needed');
  if (confirmedBy === proposedBy) return refuse('same_admin');
  if (areOfTwoIssuers(proposedBy, confirmedBy)) return refuse('proposer_not_admin');
  return ok([{ type: 'AdminUnsuspended', data: { person, name, proposedBy, confirmedBy } }]);
}
