import { type Decider, type EventMetadata } from '#domain/event-sourcing';
import { assertNever } from '#domain/kernel';
import { type HeldRole, merchantRoles, operatorRoles } from './permissions.js';
import { type NamedPerson, type RoleEvent, roleEventTypes, type RoleTerms } from './role.events.js';

/** A role that somebody has, and who gave it. */
export type HeldTerms = RoleTerms & {
  readonly proposedBy: string;
  readonly confirmedBy?: string;
};

/** The roles that people have, as the stream tells it. */
export interface Roles {
  /** Whether there was ever an admin: the first two are granted once. */
  readonly wasBegun: boolean;
  /** By person, suspended or not; a person without a role is not in it. */
  readonly held: ReadonlyMap<string, readonly HeldTerms[]>;
  /** Ids of the proposals that led to a role. */
  readonly confirmed: ReadonlySet<string>;
  /** By person: the name of each admin who is suspended. */
  readonly suspended: ReadonlyMap<string, string>;
  /** A new admin who was announced and whom nothing stopped yet (PEO-58). */
  readonly announced: (NamedPerson & { readonly proposedBy: string }) | undefined;
}

export const roleDecider: Decider<Roles, RoleEvent> = {
  types: roleEventTypes,
  initial: {
    wasBegun: false,
    held: new Map(),
    confirmed: new Set(),
    suspended: new Map(),
    announced: undefined,
  },
  evolve: (state, event) => withoutNeedless(evolve(state, event)),
};

function evolve(state: Roles, event: RoleEvent & { readonly metadata: EventMetadata }): Roles {
  const { person, name, proposedBy } = event.data;
  switch (event.type) {
    case 'RoleGranted': {
      const { causationId } = event.metadata;
      const { data } = event;
      return {
        ...state,
        wasBegun: state.wasBegun || data.role === 'admin',
        held: new Map(state.held).set(person, [...othersThan(state, data), data]),
        confirmed:
          causationId === undefined ? state.confirmed : new Set(state.confirmed).add(causationId),
      };
    }
    case 'RoleRevoked': {
      const others = othersThan(state, event.data);
      const held = new Map(state.held).set(person, others);
      if (others.length === 0) held.delete(person);
      return { ...state, held };
    }
    case 'AdminSuspended': {
      const suspended = new Map(state.suspended).set(person, name);
      // What a suspended admin proposed ends (PEO-56).
      const { announced } = state;
      return {
        ...state,
        suspended,
        announced: announced?.proposedBy === person ? undefined : announced,
      };
    }
    case 'AdminUnsuspended': {
      const suspended = new Map(state.suspended);
      suspended.delete(person);
      const { causationId } = event.metadata;
      return {
        ...state,
        suspended,
        confirmed:
          causationId === undefined ? state.confirmed : new Set(state.confirmed).add(causationId),
      };
    }
    case 'BreakGlassAnnounced':
      return { ...state, announced: { person, name, proposedBy } };
    case 'BreakGlassStopped':
      return { ...state, announced: undefined };
    default:
      return assertNever(event);
  }
}

function othersThan({ held }: Roles, data: RoleTerms): readonly HeldTerms[] {
  return (held.get(data.person) ?? []).filter((one) => !isSameRole(one, data));
}

/** Two usable admins decide as always: an announcement that is still open then leads to nothing. */
function withoutNeedless(state: Roles): Roles {
  return state.announced && usableAdmins(state) >= fewestAdmins
    ? { ...state, announced: undefined }
    : state;
}

/** Fewer cannot decide what takes two of them. */
export const fewestAdmins = 2;

/** The number of admins who are not suspended. */
export function usableAdmins(state: Roles): number {
  return [...state.held.keys()].filter((person) => isAdmin(state, person)).length;
}

/**
 * The roles that count now: none of a person who is suspended.
 * @param person as `personId` writes it
 */
export function rolesOf({ held, suspended }: Roles, person: string): readonly HeldRole[] {
  return suspended.has(person) ? [] : (held.get(person) ?? []).map(heldRole);
}

/** True for each admin, suspended ones included. */
export function isNamedAdmin({ held }: Roles, person: string): boolean {
  return held.get(person)?.some(({ role }) => role === 'admin') ?? false;
}

/** Everything that is held, person by person. */
export function heldTerms({ held }: Roles): readonly HeldTerms[] {
  return [...held.values()].flat();
}

/** True for an admin who is not suspended. */
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
