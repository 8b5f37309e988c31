import { type Action, permits } from '#domain/people';
import { type AccessRequest } from '#records/people';
import { type StoredReviewProposal } from '#records/reviews';
import { type ListedCorrection } from '#views/balances';
import { type UnsettledBatch, type UnsettledPayout } from '#views/payouts';
import { type Viewer } from '../access/viewer.js';
import { isViewer } from './page-context.js';
import { type ShownProposal } from './proposals-page.js';

/** Kinds of entries that need a second person, and the permission that their decision takes. */
const actions = {
  review: 'reviews.decide',
  correction: 'corrections.decide',
  payout: 'payouts.approve',
  batch: 'payouts.approve',
  proposal: 'proposals.decide',
  request: 'access.decide',
} as const satisfies Record<string, Action>;

export type WaitingKind = keyof typeof actions;

/** A kind that cannot be read at the moment. */
export interface Unknown {
  readonly kind: WaitingKind;
  readonly problem: string;
}

/** Proposals and requests that need a second person. */
export interface Waiting {
  readonly reviews: readonly StoredReviewProposal[];
  readonly corrections: readonly ListedCorrection[];
  readonly payouts: readonly UnsettledPayout[];
  readonly batches: readonly UnsettledBatch[];
  readonly changes: readonly ShownProposal[];
  /** Requests of merchants' owners that an admin may take up. */
  readonly requests: readonly AccessRequest[];
  readonly unknown: readonly Unknown[];
  /** True if there are more of some kind than are shown. */
  readonly more: boolean;
}

/** An entry that waits, as far as it decides who may decide it. */
interface Entry {
  readonly kind: WaitingKind;
  /** Undefined if it concerns only the platform. */
  readonly merchantId: string | undefined;
  /** The person who proposed it; undefined if the person is not known here. */
  readonly by: string | undefined;
}

/** True if the viewer's roles allow the decision. The proposer does not matter. */
export function isPermitted(
  { kind, merchantId }: Pick<Entry, 'kind' | 'merchantId'>,
  { roles }: Pick<Viewer, 'roles'>,
): boolean {
  const action = actions[kind];
  return permits(roles, action, action === 'payouts.approve' ? merchantId : undefined);
}

/** True if the viewer may decide the entry: their roles allow it, and they did not propose it. */
export function isForViewer(entry: Entry, viewer: Viewer): boolean {
  const isOwn = entry.by !== undefined && isViewer(entry.by, viewer);
  return !isOwn && isPermitted(entry, viewer);
}

/** The share of the waiting entries that a viewer may decide, and the share of other people. */
export interface WaitingShares {
  readonly own: number;
  /** The time since which the viewer's oldest entry waits; undefined if there is none. */
  readonly oldest: Date | undefined;
  readonly others: number;
  /** True if there are more entries of some kind than were read. */
  readonly more: boolean;
}

export function sharesOf(waiting: Waiting, viewer: Viewer): WaitingShares {
  const entries = entriesOf(waiting);
  const own = entries.filter((entry) => isForViewer(entry, viewer));
  const oldest = own.toSorted((one, other) => one.since.getTime() - other.since.getTime())[0];
  return {
    own: own.length,
    oldest: oldest?.since,
    others: entries.length - own.length,
    more: waiting.more,
  };
}

function entriesOf({
  reviews,
  corrections,
  payouts,
  batches,
  changes,
  requests,
}: Waiting): readonly (Entry & { readonly since: Date })[] {
  const at = (since: string | Date) => ({ since: new Date(since) });
  return [
    ...reviews.map(({ proposedBy: by, proposedAt }) => ({
      ...({ kind: 'review', merchantId: undefined, by } as const),
      ...at(proposedAt),
    })),
    ...corrections.map(({ merchantId, proposedBy: by, proposedAt }) => ({
      ...({ kind: 'correction', merchantId, by } as const),
      ...at(proposedAt),
    })),
    ...payouts.map(({ merchantId, since }) => ({
      ...({ kind: 'payout', merchantId, by: undefined } as const),
      ...at(since),
    })),
    ...batches.map(({ key, since }) => ({
      ...({ kind: 'batch', merchantId: key.merchantId, by: undefined } as const),
      ...at(since),
    })),
    ...changes.map(({ merchantId, proposedBy: by, proposedAt }) => ({
      ...({ kind: 'proposal', merchantId, by } as const),
      ...at(proposedAt),
    })),
    ...requests.map(({ merchantId, askedBy: by, askedAt }) => ({
      ...({ kind: 'request', merchantId, by } as const),
      ...at(askedAt),
    })),
  ];
}
