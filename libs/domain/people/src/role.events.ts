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

export type RoleEvent = RoleGranted | RoleRevoked;

/** The names and versions under which history keeps these events (EVT-1). */
export const roleEventTypes = {
  RoleGranted: { version: 1 },
  RoleRevoked: { version: 1 },
} as const satisfies Record<RoleEvent['type'], EventTypes[string]>;

export const roleStream = 'platform-roles';
