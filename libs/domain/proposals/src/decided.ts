import { ok, refuse, type Result } from '#domain/kernel';

/** The two admins behind a change, as its event names them. */
export interface TwoAdmins {
  readonly proposedBy: string;
  readonly confirmedBy: string;
}

/** The people who decide on a change. `one`: one person. `two`: another admin confirms what one proposed. */
export type Decided =
  | { readonly by: 'one' }
  | ({
      readonly by: 'two';
      readonly proposalId: string;
      /** The values that `weigh` returned when it was proposed. */
      readonly seen: string;
    } & TwoAdmins);

/** The requirement of a change: one person or two admins. */
export interface Weighed {
  readonly needsTwo: boolean;
  /** The values that it replaces, as a text that stays equal as long as they do. */
  readonly seen: string;
}

/** `second_admin_needed`: one is not enough. `changed`: the values to replace are not those that the two saw. */
export type DecidedRefusal = 'second_admin_needed' | 'changed';

/**
 * Decides if these people may make a change, on the state to which its event is appended (PEO-30, PEO-33).
 * @returns the people for the event: both admins, or none
 */
export function mayDecide(
  decided: Decided,
  { needsTwo, seen }: Weighed,
): Result<TwoAdmins | Readonly<Record<string, never>>, DecidedRefusal> {
  switch (decided.by) {
    case 'one':
      return needsTwo ? refuse('second_admin_needed') : ok({});
    case 'two': {
      const { proposedBy, confirmedBy } = decided;
      return decided.seen === seen ? ok({ proposedBy, confirmedBy }) : refuse('changed');
    }
  }
}
