import { type Decider, type EventMetadata } from '#domain/event-sourcing';
import { assertNever } from '#domain/kernel';
import { type HeldRole, merchantRoles, operatorRoles } from './permissions.js';
import { personOf } from './person.js';
import { type NamedPerson, type RoleEvent, roleEventTypes, type RoleTerms } from './role.events.js';

/** A person's role, and the admins who granted it. */
export type HeldTerms = RoleTerms & {
  readonly proposedBy: string;
  readonly confirmedBy?: string;
};

/** The roles of people in the stream. */
export interface Roles {
  /** True if there was ever an admin. The first two are granted once. */
  readonly wasBegun: boolean;
  /** By person, suspended or not; without people who have no role. */
  readonly held: ReadonlyMap<string, readonly HeldTerms[]>;
  /** Ids of the proposals that became a role or ended a suspension. */
  readonly confirmed: ReadonlySet<string>;
  /** The name of each suspended admin, by person. */
  readonly suspended: ReadonlyMap<string, string>;
  /** By person, who took the admin role from them; without those who have it again. */
  readonly removedBy: ReadonlyMap<string, string>;
  /** A new admin who was announced and not stopped yet (PEO-58). */
  readonly announced: (NamedPerson & { readonly proposedBy: string }) | undefined;
}

export const roleDecider: Decider<Roles, RoleEvent> = {
  types: roleEventTypes,
  initial: {
    wasBegun: false,
    held: new Map(),
    confirmed: new Set(),
    suspended: new Map(),
    removedBy: new Map(),
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
      const removedBy = new Map(state.removedBy);
      if (data.role === 'admin') removedBy.delete(person);
      return {
        ...state,
        removedBy,
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
      if (event.data.role !== 'admin') return { ...state, held };
      return { ...state, held, removedBy: new Map(state.removedBy).set(person, proposedBy) };
    }
    case 'AdminSuspended': {
      const suspended = new Map(state.suspended).set(person, name);
      // The proposals of a suspended admin end (PEO-56).
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

/** Drops an open announcement once two admins are usable, because they can decide as usual. */
function withoutNeedless(state: Roles): Roles {
  return state.announced && usableAdmins(state) >= fewestAdmins
    ? { ...state, announced: undefined }
    : state;
}

/** Fewer admins cannot make a decision that needs two. */
export const fewestAdmins = 2;

/** The number of admins who are not suspended. */
export function usableAdmins(state: Roles): number {
  return [...state.held.keys()].filter((person) => isAdmin(state, person)).length;
}

/**
 * The roles that count now; none for a suspended person.
 * @param person as `personId` writes it
 */
export function rolesOf({ held, suspended }: Roles, person: string): readonly HeldRole[] {
  return suspended.has(person) ? [] : (held.get(person) ?? []).map(heldRole);
}

/** True for each admin, suspended ones included. */
export function isNamedAdmin({ held }: Roles, person: string): boolean {
  return held.get(person)?.some(({ role }) => role === 'admin') ?? false;
}

/**
 * True for an admin, for one who was suspended, even if the role was revoked since, and for one whose role was revoked by
 * the announcer or by the admin who is left. Otherwise one admin could remove every other before a new one is announced
 * (PEO-59).
 */
export function mayStopAnnouncement(state: Roles, person: string): boolean {
  if (isNamedAdmin(state, person) || state.suspended.has(person)) return true;
  const { announced, removedBy } = state;
  const remover = removedBy.get(person);
  if (!announced || remover === undefined) return false;
  return remover === announced.proposedBy || isAdmin(state, remover);
}

/** The issuers of all people who have a role, suspended ones included. */
export function issuersOf({ held }: Roles): ReadonlySet<string> {
  return new Set([...held.keys()].flatMap((person) => personOf(person)?.issuer ?? []));
}

/** All roles, person by person. */
export function heldTerms({ held }: Roles): readonly HeldTerms[] {
  return [...held.values()].flat();
}

/** True for an admin who is not suspended. */
export function isAdmin(state: Roles, person: string): boolean {
  return rolesOf(state, person).some(({ role }) => role === 'admin');
}

/** True if two roles of one person are the same. A merchant's role is a different one at each merchant. */
export function isSameRole(one: HeldRole, other: HeldRole): boolean {
  return one.role === other.role && one.merchantId === other.merchantId;
}

const moneyRoles: readonly HeldRole['role'][] = ['finance', 'admin', 'owner', 'support'];

/**
 * True if two admins must agree to grant it (PEO-5): operators’ finance and admin, and merchants’ finance and owner,
 * decide about money. Support opens reviews, and so is one of the two operators behind a ruling (PEO-16).
 */
export function needsTwoAdmins({ role }: HeldRole): boolean {
  return moneyRoles.includes(role);
}

/**
 * Returns the role of that name: the platform's, or with a merchant the merchant's.
 * @returns undefined if there is no such role
 */
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
