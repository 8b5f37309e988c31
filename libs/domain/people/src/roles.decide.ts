import { ok, refuse, type Result } from '#domain/kernel';
import { type HeldRole } from './permissions.js';
import { areOfTwoIssuers } from './person.js';
import { type RoleGranted, type RoleRevoked, type RoleTerms } from './role.events.js';
import {
  fewestAdmins,
  isAdmin,
  isSameRole,
  needsTwoAdmins,
  type Roles,
  usableAdmins,
} from './roles.js';

/** `admins_exist`: an admin was granted before, even if there is none now. */
export type FirstAdminsRefusal = 'admins_exist' | 'same_person';

/** A person who is to become an admin. */
export type FirstAdmin = Pick<RoleTerms, 'person' | 'name'>;

/** Grants the first two admins, together and once (PEO-4). An admin must grant each later role. */
export function decideFirstAdmins(
  admins: readonly [FirstAdmin, FirstAdmin],
  proposedBy: string,
  state: Roles,
): Result<readonly RoleGranted[], FirstAdminsRefusal> {
  if (state.wasBegun) return refuse('admins_exist');
  const [one, other] = admins;
  if (one.person === other.person) return refuse('same_person');
  return ok(
    admins.map(({ person, name }) => ({
      type: 'RoleGranted',
      data: { person, name, role: 'admin', proposedBy },
    })),
  );
}

/** The people who grant a role. */
export interface Granters {
  readonly proposedBy: string;
  readonly confirmedBy?: string;
}

/**
 * `not_admin`: the person who decides now is not an admin. `proposer_not_admin`: the first of the two is no longer an
 * admin, or another issuer names them than the second (PEO-17). `own_role`: no person may decide about their own role.
 * `suspended`: a suspended person gets no further role.
 */
export type GrantRefusal =
  | 'not_admin'
  | 'proposer_not_admin'
  | 'own_role'
  | 'second_admin_needed'
  | 'same_admin'
  | 'suspended';

/** Grants a role. If the person has it already, nothing is added. */
export function decideGrant(
  terms: RoleTerms,
  { proposedBy, confirmedBy }: Granters,
  state: Roles,
): Result<readonly RoleGranted[], GrantRefusal> {
  if (!isAdmin(state, confirmedBy ?? proposedBy)) return refuse('not_admin');
  if (terms.person === proposedBy || terms.person === confirmedBy) return refuse('own_role');
  if (holds(state, terms)) return ok([]);
  if (state.suspended.has(terms.person)) return refuse('suspended');
  if (!isAdmin(state, proposedBy)) return refuse('proposer_not_admin');
  if (needsTwoAdmins(terms)) {
    if (confirmedBy === undefined) return refuse('second_admin_needed');
    if (confirmedBy === proposedBy) return refuse('same_admin');
    if (areOfTwoIssuers(proposedBy, confirmedBy)) return refuse('proposer_not_admin');
  }
  const second = confirmedBy === undefined ? {} : { confirmedBy };
  return ok([{ type: 'RoleGranted', data: { ...terms, proposedBy, ...second } }]);
}

/** `last_admins`: two must stay, otherwise no role that moves money could be granted any more. */
export type RevokeRefusal = 'not_admin' | 'own_role' | 'not_held' | 'last_admins';

/**
 * One admin may revoke any role, because it must be quick (PEO-6). Two usable admins must stay, whichever admin loses
 * the role. Otherwise the last one could remove the suspended admins, and only those can stop a new one (PEO-58).
 */
export function decideRevoke(
  of: { readonly person: string; readonly held: HeldRole },
  proposedBy: string,
  state: Roles,
): Result<readonly RoleRevoked[], RevokeRefusal> {
  if (!isAdmin(state, proposedBy)) return refuse('not_admin');
  if (of.person === proposedBy) return refuse('own_role');
  const found = state.held.get(of.person)?.find((one) => isSameRole(one, of.held));
  if (!found) return refuse('not_held');
  const isUsable = isAdmin(state, of.person) ? 1 : 0;
  if (found.role === 'admin' && usableAdmins(state) - isUsable < fewestAdmins)
    return refuse('last_admins');
  const { proposedBy: _granter, confirmedBy: _second, ...terms } = found;
  return ok([{ type: 'RoleRevoked', data: { ...terms, proposedBy } }]);
}

function holds(state: Roles, terms: RoleTerms): boolean {
  return state.held.get(terms.person)?.some((one) => isSameRole(one, terms)) ?? false;
}
