import {
  type DeclinedEnd,
  type OpenProposal,
  type Proposal,
  type ProposalOutcome,
  type ReviewDecision,
  ReviewProposals,
  type Ruling,
} from '#domain/reviews';
import { collectionKeyOf } from '#domain/collections';
import { payoutKeyOf } from '#domain/payouts';
import { instantFromMs, type Mode, msFromInstant, ok, refuse, type Result } from '#domain/kernel';
import { type Database, isUniqueViolation, type Queryable } from '#infra/postgres';

/** One operator's ruling on a collection or payout under review. */
export interface StoredReviewProposal {
  readonly id: string;
  readonly stream: string;
  readonly mode: Mode;
  readonly decision: string;
  readonly receipt: string | null;
  readonly amountMinor: bigint | null;
  readonly paidAt: Date | null;
  readonly reason: string;
  readonly revision: bigint | null;
  readonly proposedBy: string;
  readonly proposedAt: Date;
  /** Null while the proposal is open. */
  readonly endedAt: Date | null;
  readonly outcome: string | null;
  /** The person who declined or withdrew it, and the reason; null after any other end. */
  readonly endedBy: string | null;
  readonly endReason: string | null;
}

/** A timeout refuses (REV-6). */
const waits = `interval '24 hours'`;
const isOver = `proposed_at <= records.now_() - ${waits}`;
const columns = `
  id, stream, mode, decision, receipt, amount_minor as "amountMinor", paid_at as "paidAt", reason, revision,
  proposed_by as "proposedBy", proposed_at as "proposedAt",
  coalesce(ended_at, case when ${isOver} then proposed_at + ${waits} end) as "endedAt",
  coalesce(outcome, case when ${isOver} then 'expired' end) as outcome,
  ended_by as "endedBy", end_reason as "endReason"`;
/** There are few open proposals, and an index covers them. */
const expire = `
  update records.review_proposals set ended_at = proposed_at + ${waits}, outcome = 'expired'
    where ended_at is null and ${isOver}`;
/** Serializes the opening of proposals for one stream. */
const lock = `select pg_advisory_xact_lock(7265003, hashtext($1))`;
const replace = `
  update records.review_proposals set ended_at = records.now_(), outcome = 'replaced'
    where stream = $1 and ended_at is null`;
const insert = `
  insert into records.review_proposals
    (id, stream, mode, decision, receipt, amount_minor, paid_at, reason, proposed_by, revision)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)`;
const open = `select ${columns} from records.review_proposals where stream = $1 and ended_at is null`;
const allOpen = `
  select ${columns} from records.review_proposals
    where ended_at is null and not ${isOver} order by proposed_at, id limit $1`;
const openByReceipt = `
  select ${columns} from records.review_proposals
    where mode = $1 and receipt = $2 and ended_at is null`;
const ofStream = `
  select ${columns} from records.review_proposals where stream = $1 order by proposed_at, id`;
/** The log decides: a confirmation that was under way while its proposal was declined is a decision. */
const end = `
  update records.review_proposals
    set ended_at = records.now_(), outcome = $2, ended_by = null, end_reason = null
    where id = $1
      and (ended_at is null or ($2 = 'decided' and outcome in ('declined', 'withdrawn')))`;
/** Longer than the deadlines of all calls between a claim and the end of its append. */
const claimed = `interval '60 seconds'`;
const claim = `
  update records.review_proposals set claim = $2, claimed_at = records.now_()
    where id = $1 and ended_at is null
  returning 1`;
const release = `
  update records.review_proposals set claim = null, claimed_at = null where id = $1 and claim = $2`;
const decline = `
  update records.review_proposals
    set ended_at = records.now_(), outcome = $2, ended_by = $3, end_reason = $4
    where id = $1 and ended_at is null
      and (claimed_at is null or claimed_at <= records.now_() - ${claimed})
  returning 1`;

/** Operators' proposals as rows; they end but are never deleted. */
export class RecordedReviewProposals extends ReviewProposals {
  constructor(private readonly database: Database) {
    super();
  }

  override async findOpen(stream: string): Promise<OpenProposal | undefined> {
    await expireReviewProposals(this.database);
    const [stored] = await this.database.query<StoredReviewProposal>(open, [stream]);
    return stored && proposalFrom(stored);
  }

  override async findOpenByReceipt(mode: Mode, receipt: string): Promise<OpenProposal | undefined> {
    await expireReviewProposals(this.database);
    const [stored] = await this.database.query<StoredReviewProposal>(openByReceipt, [
      mode,
      receipt,
    ]);
    return stored && proposalFrom(stored);
  }

  override async open(proposal: Proposal): Promise<Result<undefined, 'receipt_proposed'>> {
    const { id, stream, ruling, reason, proposedBy, revision = null } = proposal;
    const mode = (collectionKeyOf(stream) ?? payoutKeyOf(stream))?.mode;
    if (!mode) throw new TypeError('a proposal is about a collection or a payout');
    const { decision } = ruling;
    const payment = decision === 'paid' ? ruling.payment : undefined;
    const { receipt = null, amountMinor = null, paidAt } = payment ?? {};
    const paid = paidAt === undefined ? null : new Date(msFromInstant(paidAt));
    try {
      await this.database.transaction(async (transaction) => {
        await expireReviewProposals(transaction);
        await transaction.query(lock, [stream]);
        await transaction.query(replace, [stream]);
        const said = [decision, receipt, amountMinor, paid, reason, proposedBy, revision];
        await transaction.query(insert, [id, stream, mode, ...said]);
      });
      return ok(undefined);
    } catch (error) {
      if (isUniqueViolation(error)) return refuse('receipt_proposed');
      throw error;
    }
  }

  override async end(id: string, outcome: ProposalOutcome): Promise<void> {
    await this.database.query(end, [id, outcome]);
  }

  override async claim(...claimed: [id: string, claim: string]): Promise<boolean> {
    return (await this.database.query(claim, claimed)).length > 0;
  }

  override async release(...claimed: [id: string, claim: string]): Promise<void> {
    await this.database.query(release, claimed);
  }

  override async decline(id: string, { outcome, by, reason }: DeclinedEnd): Promise<boolean> {
    const ended = await this.database.query(decline, [id, outcome, by, reason ?? null]);
    return ended.length > 0;
  }
}

/** Ends the proposals whose time is over. They keep their receipts until then. */
export async function expireReviewProposals(database: Queryable): Promise<void> {
  await database.query(expire);
}

/** Lists proposals that wait for a second operator, oldest first. @throws DependencyUnavailable */
export function findOpenProposals(
  database: Queryable,
  limit: number,
): Promise<StoredReviewProposal[]> {
  return database.query<StoredReviewProposal>(allOpen, [limit]);
}

/** Lists all proposals of a stream, oldest first. @throws DependencyUnavailable */
export function findReviewProposals(
  database: Queryable,
  stream: string,
): Promise<StoredReviewProposal[]> {
  return database.query<StoredReviewProposal>(ofStream, [stream]);
}

function proposalFrom(stored: StoredReviewProposal): OpenProposal {
  const { id, stream, reason, proposedBy, revision } = stored;
  const seen = revision === null ? {} : { revision };
  const proposedAt = instantFromMs(stored.proposedAt.getTime());
  return { id, stream, ruling: rulingFrom(stored), reason, proposedBy, proposedAt, ...seen };
}

/** The table contains only rows that `open` wrote. */
function rulingFrom({ decision, receipt, amountMinor, paidAt }: StoredReviewProposal): Ruling {
  const stored = decision as ReviewDecision;
  if (stored !== 'paid') return { decision: stored };
  if (receipt === null || amountMinor === null) return { decision: stored };
  const at = paidAt === null ? {} : { paidAt: instantFromMs(paidAt.getTime()) };
  return { decision: stored, payment: { receipt, amountMinor, ...at } };
}
