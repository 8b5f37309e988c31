import { type Mode } from '#domain/kernel';
import { type Database, isUniqueViolation, type Queryable } from '#infra/postgres';

/** A ruling by one operator on a collection under review. */
export interface NewReviewProposal {
  readonly id: string;
  readonly stream: string;
  readonly mode: Mode;
  readonly decision: string;
  readonly receipt: string | null;
  readonly amountMinor: bigint | null;
  readonly paidAt: Date | null;
  readonly reason: string;
  readonly proposedBy: string;
}

/** Null while it is open: when and how it ended. */
export interface StoredReviewProposal extends NewReviewProposal {
  readonly proposedAt: Date;
  readonly endedAt: Date | null;
  readonly outcome: string | null;
}

const columns = `
  id, stream, mode, decision, receipt, amount_minor as "amountMinor", paid_at as "paidAt", reason,
  proposed_by as "proposedBy", proposed_at as "proposedAt", ended_at as "endedAt", outcome`;
/** Proposals for one collection open one after the other. */
const lock = `select pg_advisory_xact_lock(7265003, hashtext($1))`;
const replace = `
  update records.review_proposals set ended_at = records.now_(), outcome = 'replaced'
    where stream = $1 and ended_at is null`;
const insert = `
  insert into records.review_proposals
    (id, stream, mode, decision, receipt, amount_minor, paid_at, reason, proposed_by)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;
const open = `select ${columns} from records.review_proposals where stream = $1 and ended_at is null`;
const openByReceipt = `
  select ${columns} from records.review_proposals
    where mode = $1 and receipt = $2 and ended_at is null`;
const ofStream = `
  select ${columns} from records.review_proposals where stream = $1 order by proposed_at, id`;
const end = `
  update records.review_proposals set ended_at = records.now_(), outcome = $2
    where id = $1 and ended_at is null`;

/**
 * Opens a proposal in the place of the stream's open one, which ends as `replaced`.
 * @returns `receipt_proposed`: an open proposal of another stream names the receipt, and nothing was changed
 */
export async function openReviewProposal(
  database: Database,
  proposal: NewReviewProposal,
): Promise<'opened' | 'receipt_proposed'> {
  const { id, stream, mode, decision, receipt, amountMinor, paidAt, reason, proposedBy } = proposal;
  try {
    await database.transaction(async (transaction) => {
      await transaction.query(lock, [stream]);
      await transaction.query(replace, [stream]);
      const values = [id, stream, mode, decision, receipt, amountMinor, paidAt, reason, proposedBy];
      await transaction.query(insert, values);
    });
    return 'opened';
  } catch (error) {
    if (isUniqueViolation(error)) return 'receipt_proposed';
    throw error;
  }
}

export async function findOpenReviewProposal(
  database: Queryable,
  stream: string,
): Promise<StoredReviewProposal | undefined> {
  return (await database.query<StoredReviewProposal>(open, [stream]))[0];
}

export async function findOpenReviewProposalByReceipt(
  database: Queryable,
  mode: Mode,
  receipt: string,
): Promise<StoredReviewProposal | undefined> {
  return (await database.query<StoredReviewProposal>(openByReceipt, [mode, receipt]))[0];
}

/** All of a stream, oldest first. */
export function findReviewProposals(
  database: Queryable,
  stream: string,
): Promise<StoredReviewProposal[]> {
  return database.query<StoredReviewProposal>(ofStream, [stream]);
}

/** Changes nothing where it has ended already. @param outcome one word: `decided`, `replaced`, `overtaken` */
export async function endReviewProposal(
  database: Queryable,
  id: string,
  outcome: string,
): Promise<void> {
  await database.query(end, [id, outcome]);
}
