import { type EventTypes, type StoredEvent } from '#domain/event-sourcing';
import { type HeldRole } from './permissions.js';

/** A person and their role. */
export type RoleTerms = HeldRole & {
  /** The id that `personId` writes. */
  readonly person: string;
  /** The person's display name, which does not identify them. */
  readonly name: string;
};

/**
 * A person has a role from now on. Ids are those of `actor.id`: persons, or, for the first two admins, the name on the
 * machine.
 */
export type RoleGranted = StoredEvent<
  'RoleGranted',
  RoleTerms & {
    readonly proposedBy: string;
    /** For roles that move money: another admin (PEO-5). */
    readonly confirmedBy?: string;
  }
>;

/** A person no longer has the role. */
export type RoleRevoked = StoredEvent<'RoleRevoked', RoleTerms & { readonly proposedBy: string }>;

/** A person's id, as events have it, and name. */
export type NamedPerson = Pick<RoleTerms, 'person' | 'name'>;

/** An admin may do nothing from now on, whatever their roles (PEO-55). */
export type AdminSuspended = StoredEvent<
  'AdminSuspended',
  NamedPerson & { readonly proposedBy: string }
>;

/** The roles of a suspended admin count again. Two other admins agreed. */
export type AdminUnsuspended = StoredEvent<
  'AdminUnsuspended',
  NamedPerson & { readonly proposedBy: string; readonly confirmedBy: string }
>;

/** A person becomes an admin 24 h after this event was recorded, unless an admin stops it (PEO-58). */
export type BreakGlassAnnounced = StoredEvent<
  'BreakGlassAnnounced',
  NamedPerson & { readonly proposedBy: string }
>;

/** The open announcement grants no role. */
export type BreakGlassStopped = StoredEvent<
  'BreakGlassStopped',
  NamedPerson & { readonly proposedBy: string }
>;

export type RoleEvent =
  | RoleGranted
  | RoleRevoked
  | AdminSuspended
  | AdminUnsuspended
  | BreakGlassAnnounced
  | BreakGlassStopped;

/** The names and versions under which history stores these events (EVT-1). */
export const roleEventTypes = {
  RoleGranted: { version: 1 },
  RoleRevoked: { version: 1 },
  AdminSuspended: { version: 1 },
  AdminUnsuspended: { version: 1 },
  BreakGlassAnnounced: { version: 1 },
  BreakGlassStopped: { version: 1 },
} as const satisfies Record<RoleEvent['type'], EventTypes[string]>;

export const roleStream = 'platform-roles';
