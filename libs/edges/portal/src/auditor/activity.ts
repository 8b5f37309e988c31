import { type Position } from '#domain/event-sourcing';
import { msFromInstant } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { listProposalActs, type ProposalAct, type ProposalActPlace } from '#records/reviews';
import { type Act, type ActsWanted, listActs } from '#views/acts';

/** An entry of the activity log: an act that the history of events holds, or one with a proposal, which is a record. */
export type Activity =
  | { readonly kind: 'act'; readonly act: Act }
  | { readonly kind: 'proposal'; readonly proposal: ProposalAct };

/** The place after which a page begins, in the events and in the records. An absent place is the newest entry. */
export interface ActivityPlace {
  readonly before?: Position | undefined;
  readonly beforeProposal?: ProposalActPlace | undefined;
}

/** A page of the activity log, newest first. */
export interface ActivityPage {
  readonly entries: readonly Activity[];
  /** The position of the log up to which all events are known. */
  readonly upTo: Position;
  /** The place of the next page; undefined if this page is the last one. */
  readonly next: ActivityPlace | undefined;
}

/**
 * Reads a page of the log: one bounded query of the events and one of the records.
 * @throws DependencyUnavailable if the views are being built
 */
export async function listActivity(
  database: Queryable,
  wanted: ActsWanted,
  { place, limit }: { readonly place: ActivityPlace; readonly limit: number },
): Promise<ActivityPage> {
  const { before, beforeProposal } = place;
  const isOfReviews = wanted.kind === undefined || wanted.kind === 'review';
  const [{ acts, upTo, more }, proposals] = await Promise.all([
    listActs(database, wanted, { limit, ...(before !== undefined && { before }) }),
    isOfReviews
      ? listProposalActs(database, wanted, { before: beforeProposal, limit: limit + 1 })
      : [],
  ]);
  const entries = merged(acts, proposals).slice(0, limit);
  const isMore = more || acts.length + proposals.length > limit;
  return { entries, upTo, next: isMore ? placeAfter(entries, place) : undefined };
}

/** Joins both lists by time, newest first. Each keeps its own order, so that its place stays a place. */
export function merged(
  acts: readonly Act[],
  proposals: readonly ProposalAct[],
): readonly Activity[] {
  const [entries, rest]: [Activity[], ProposalAct[]] = [[], [...proposals]];
  for (const act of acts) {
    const at = msFromInstant(act.recordedAt);
    for (let newer = rest[0]; newer && newer.at.getTime() > at; newer = rest[0]) {
      entries.push({ kind: 'proposal', proposal: newer });
      rest.shift();
    }
    entries.push({ kind: 'act', act });
  }
  return [...entries, ...rest.map((proposal) => ({ kind: 'proposal', proposal }) as const)];
}

function placeAfter(entries: readonly Activity[], { before, beforeProposal }: ActivityPlace) {
  const act = entries.findLast((entry) => entry.kind === 'act')?.act;
  const proposal = entries.findLast((entry) => entry.kind === 'proposal')?.proposal;
  return { before: act?.position ?? before, beforeProposal: proposal ?? beforeProposal };
}

const placePattern = /^([0-9]{1,15})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([01])$/;

/** The place of an act with a proposal as an address has it. */
export function textOfPlace({ at, id, step }: ProposalActPlace): string {
  return `${at.getTime()}.${id}.${step}`;
}

/** Reads `textOfPlace`; undefined for any other text. */
export function placeFrom(text: string): ProposalActPlace | undefined {
  const [, ms, id, step] = placePattern.exec(text) ?? [];
  if (ms === undefined || id === undefined) return undefined;
  const at = new Date(Number(ms));
  return Number.isNaN(at.getTime()) ? undefined : { at, id, step: step === '1' ? 1 : 0 };
}
