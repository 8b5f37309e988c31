import { type EventTypes, type StoredEvent } from '#domain/event-sourcing';
import { type HeldRole } from './permissions.js';

/** Whose role it is, and which. */
export type RoleTerms = HeldRole & {
  /** As `personId` writes it. */
  readonly person: string;
  /** What the person is called; not what the identity rests on. */
  readonly name: string;
};

/** A person has a role from here on. Ids as `actor.id` has them: persons, or the name on the machine of the first two. */
export type RoleGranted = StoredEvent<
  'RoleGranted',
  RoleTerms & {
    readonly proposedBy: string;
    /** Of roles that move money: another admin (PEO-5). */
    readonly confirmedBy?: string;
  }
>;

/** A person has the role no more. */
export type RoleRevoked = StoredEvent<'RoleRevoked', RoleTerms & { readonly proposedBy: string }>;

/** A person, by the id that events have, and by name. */
export type NamedPerson = Pick<RoleTerms, 'person' | 'name'>;

/** An admin may do nothing from here on, whatever their roles (PEO-55). */
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

/** The announcement that was open leads to no role. */
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

/** The names and versions under which history keeps these events (EVT-1). */
export const roleEventTypes = {
  RoleGranted: { version: 1 },
  RoleRevoked: { version: 1 },
  AdminSuspended: { version: 1 },
  AdminUnsuspended: { version: 1 },
  BreakGlassAnnounced: { version: 1 },
  BreakGlassStopped: { version: 1 },
} as const satisfies Record<RoleEvent['type'], EventTypes[string]>;

export const roleStream = 'platform-roles';
