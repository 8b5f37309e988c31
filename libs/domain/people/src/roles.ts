import { type Decider, type EventMetadata } from '#domain/event-sourcing';
import { assertNever } from '#domain/kernel';
import { type HeldRole, merchantRoles, operatorRoles } from './permissions.js';
import { type RoleEvent, roleEventTypes, type RoleTerms } from './role.events.js';

/** A role that somebody has, and who gave it. */
export type HeldTerms = RoleTerms & {
  readonly proposedBy: string;
  readonly confirmedBy?: string;
};

/** Who has which role, as the stream tells it. */
export interface Roles {
  /** Whether there was ever an admin: the first two are granted once. */
  readonly wasBegun: boolean;
  /** By person; nobody stands here without a role. */
  readonly held: ReadonlyMap<string, readonly HeldTerms[]>;
  /** Ids of the proposals that led to a role. */
  readonly confirmed: ReadonlySet<string>;
}

export const roleDecider: Decider<Roles, RoleEvent> = {
  types: roleEventTypes,
  initial: { wasBegun: false, held: new Map(), confirmed: new Set() },
  evolve,
};

function evolve(
  state: Roles,
  { type, data, metadata }: RoleEvent & { readonly metadata: EventMetadata },
): Roles {
  const others = (state.held.get(data.person) ?? []).filter((one) => !isSameRole(one, data));
  switch (type) {
    case 'RoleGranted': {
      const { causationId } = metadata;
      return {
        wasBegun: state.wasBegun || data.role === 'admin',
        held: new Map(state.held).set(data.person, [...others, data]),
        confirmed:
          causationId === undefined ? state.confirmed : new Set(state.confirmed).add(causationId),
      };
    }
    case 'RoleRevoked': {
      const held = new Map(state.held).set(data.person, others);
      if (others.length === 0) held.delete(data.person);
      return { ...state, held };
    }
    default:
      return assertNever(type);
  }
}

/** @param person as `personId` writes it */
export function rolesOf({ held }: Roles, person: string): readonly HeldRole[] {
  return (held.get(person) ?? []).map(heldRole);
}

/** Everything that is held, person by person. */
export function heldTerms({ held }: Roles): readonly HeldTerms[] {
  return [...held.values()].flat();
}

export function isAdmin(state: Roles, person: string): boolean {
  return rolesOf(state, person).some(({ role }) => role === 'admin');
}

/** Of one person: a merchant's role is another one at each merchant. */
export function isSameRole(one: HeldRole, other: HeldRole): boolean {
  return one.role === other.role && one.merchantId === other.merchantId;
}

/**
 * Whether two admins must agree to grant it (PEO-5): operators’ finance and admin, merchants’ finance and owner
 * decide about money.
 */
export function needsTwoAdmins({ role }: HeldRole): boolean {
  return role === 'finance' || role === 'admin' || role === 'owner';
}

/** @returns undefined where there is no such role, of the platform or, with a merchant, of a merchant */
export function roleFrom(role: string, merchantId: string | undefined): HeldRole | undefined {
  if (merchantId === undefined) {
    const found = operatorRoles.find((each) => each === role);
    return found && { role: found };
  }
  const found = merchantRoles.find((each) => each === role);
  return found && { role: found, merchantId };
}

function heldRole({ role, merchantId }: HeldRole): HeldRole {
  return merchantId === undefined ? { role } : { role, merchantId };
}
