import { type Decider } from '#domain/event-sourcing';
import { ok, refuse, type Result } from '#domain/kernel';
import { type Decided, type DecidedRefusal, mayDecide } from '#domain/proposals';
import { isSameList } from '../accepted-losses.js';
import { type ListContents } from '../loss-lists.js';
import {
  lossEventTypes,
  type LossesAccepted,
  type LossKind,
  type LossList,
} from '../losses.events.js';

/** The ids of the accepted lists. */
export type AcceptedLists = ReadonlySet<string>;

export const lossesDecider: Decider<AcceptedLists, LossesAccepted> = {
  types: lossEventTypes,
  initial: new Set(),
  evolve: (lists, { data }) => new Set([...lists, data.list]),
};

/** A list as the log has it now, and the number of its messages that the records have. */
export interface FoundList extends ListContents {
  readonly there: number;
}

/** `empty`: it lists nothing. `other_list`: the log has another list. `found_again`: the records have some of it. */
export type LossesRefusal = 'empty' | 'other_list' | 'found_again';

/** Weighs a list against the log and the records (AUD-34). */
export function weighLosses(details: LossList, found: FoundList): Result<undefined, LossesRefusal> {
  const kinds: readonly LossKind[] = ['messages', 'claims'];
  if (kinds.every((kind) => details[kind] === 0)) return refuse('empty');
  if (!isSameList(found, details)) return refuse('other_list');
  return found.there > 0 ? refuse('found_again') : ok(undefined);
}

/** Accepts a list, once. Always takes two admins (AUD-34). */
export function decideAcceptLosses(
  details: LossList,
  { decided, found }: { readonly decided: Decided; readonly found: FoundList },
  accepted: AcceptedLists,
): Result<readonly LossesAccepted[], LossesRefusal | DecidedRefusal> {
  if (decided.by === 'one') return refuse('second_admin_needed');
  if (accepted.has(details.list)) return ok([]);
  const weighed = weighLosses(details, found);
  if (!weighed.ok) return weighed;
  const may = mayDecide(decided, { needsTwo: true, seen: found.digest });
  if (!may.ok) return may;
  const { proposedBy, confirmedBy } = decided;
  // A person who can delete a message can also change the name in a proposal, but not that of the list's events.
  if (found.listedBy !== proposedBy) return refuse('other_list');
  return ok([{ type: 'LossesAccepted', data: { ...details, proposedBy, confirmedBy } }]);
}
