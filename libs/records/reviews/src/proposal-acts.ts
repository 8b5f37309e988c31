import { type Mode } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';

/** The place of an act in the order of time: several acts may have one instant. */
export interface ProposalActPlace {
  readonly at: Date;
  readonly id: string;
  /** 0 for the proposal, 1 for its end. */
  readonly step: 0 | 1;
}

/**
 * One act of a person: a proposal, its rejection by another person, or its withdrawal. Such acts are records and not
 * events, because they change nothing. A confirmation is an event, and so no act here.
 */
export interface ProposalAct extends ProposalActPlace {
  readonly type: 'proposed' | 'declined' | 'withdrawn';
  readonly by: string;
  /** The stream of the collection or the payout. */
  readonly stream: string;
  readonly mode: Mode;
  readonly decision: string;
  /** Null for a withdrawal without a reason. */
  readonly reason: string | null;
}

/** Filters for acts; an absent filter matches everything. */
export interface ProposalActsWanted {
  readonly people?: readonly string[];
  readonly merchantId?: string;
  /** At or after this time. */
  readonly from?: Date;
  /** Before this time. */
  readonly until?: Date;
}

/** Acts of one step, newest first: an index holds each step in this order. */
const actsOf = (step: 0 | 1, { at, by, type, reason, where }: Readonly<Record<string, string>>) => `
  (select ${at} as at, id, ${step} as step, ${type} as type, ${by} as by, stream, mode, decision, ${reason} as reason
  from records.review_proposals
  where ${where} and ($1::text[] is null or ${by} = any($1))
    and ($2::text is null or split_part(stream, ':', 2) = $2)
    and ($3::timestamptz is null or ${at} >= $3) and ($4::timestamptz is null or ${at} < $4)
    and ($5::timestamptz is null or (${at} <= $5 and (${at}, id, ${step}) < ($5, $6::uuid, $7::integer)))
  order by ${at} desc, id desc limit $8)`;

const proposed = actsOf(0, {
  at: 'proposed_at',
  by: 'proposed_by',
  type: `'proposed'`,
  reason: 'reason',
  where: 'true',
});
const ended = actsOf(1, {
  at: 'ended_at',
  by: 'ended_by',
  type: 'outcome',
  reason: 'end_reason',
  where: `outcome in ('declined', 'withdrawn')`,
});

// The statement has no name, so that Postgres plans it for each set of filters.
const select = `${proposed} union all ${ended} order by at desc, id desc, step desc limit $8`;

/**
 * Lists acts with proposals of reviews, newest first.
 * @param page `before`: only those before this place
 * @throws DependencyUnavailable
 */
export function listProposalActs(
  database: Queryable,
  { people, merchantId, from, until }: ProposalActsWanted,
  { before, limit }: { readonly before?: ProposalActPlace | undefined; readonly limit: number },
): Promise<ProposalAct[]> {
  const filters = [people, merchantId, from, until, before?.at, before?.id, before?.step];
  return database.query<ProposalAct>(select, [...filters.map((value) => value ?? null), limit]);
}
