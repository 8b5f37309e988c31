import { instantFromMs, type Mode } from '#domain/kernel';
import {
  type Json,
  type OpenProposal,
  type Proposal,
  type ProposalKind,
  type ProposalOutcome,
  Proposals,
} from '#domain/proposals';
import { type Database } from '#infra/postgres';

interface StoredProposal {
  readonly id: string;
  readonly kind: ProposalKind;
  readonly about: string;
  readonly merchantId: string | null;
  readonly mode: Mode | null;
  readonly details: Json;
  readonly seen: string;
  readonly reason: string;
  readonly proposedBy: string;
  readonly proposedAt: Date;
  readonly endsAt: Date;
}

const columns = `
  id, kind, about, merchant_id as "merchantId", mode, details, seen, reason, proposed_by as "proposedBy",
  proposed_at as "proposedAt", ends_at as "endsAt"`;
const waiting = `ended_at is null and ends_at > records.now_()`;
/** Serializes the opening of proposals about one thing. */
const lock = `select pg_advisory_xact_lock(7265005, hashtext($1 || ' ' || $2))`;
const replace = `
  update records.proposals set ended_at = records.now_(), outcome = 'replaced', ended_by = $3
    where kind = $1 and about = $2 and ended_at is null`;
const insert = `
  insert into records.proposals (id, kind, about, merchant_id, mode, details, seen, reason, proposed_by)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning ${columns}`;
const find = `select ${columns} from records.proposals where id::text = $1 and ${waiting}`;
const list = `
  select ${columns} from records.proposals
    where ${waiting} and kind = coalesce($2, kind) order by proposed_at, id limit $1`;
const findConfirmed = `
  select 1 from records.proposals where id::text = $1 and outcome = 'confirmed'`;
const take = `
  update records.proposals set taken_by = $2
    where id = $1 and ${waiting} and coalesce(taken_by, $2) = $2 returning id`;
const giveBack = `
  update records.proposals set taken_by = null where id = $1 and taken_by = $2 and ended_at is null`;
const end = `
  update records.proposals set ended_at = records.now_(), outcome = $2, ended_by = $3
    where id = $1 and ended_at is null and (taken_by is null or $2 = 'confirmed') returning id`;
const endAllBy = `
  update records.proposals set ended_at = records.now_(), outcome = 'declined', ended_by = $2
    where proposed_by = $1 and ended_at is null and taken_by is null`;

/** Proposals as rows; they end but are never deleted. */
export class RecordedProposals extends Proposals {
  constructor(private readonly database: Database) {
    super();
  }

  override async open(proposal: Proposal): Promise<OpenProposal> {
    const { id, kind, about, merchantId = null, mode = null, details, seen, reason } = proposal;
    const { proposedBy } = proposal;
    const [stored] = await this.database.transaction(async (transaction) => {
      await transaction.query(lock, [kind, about]);
      await transaction.query(replace, [kind, about, proposedBy]);
      const said = [merchantId, mode, JSON.stringify(details), seen, reason, proposedBy];
      return transaction.query<StoredProposal>(insert, [id, kind, about, ...said]);
    });
    if (!stored) throw new TypeError('the insert returns its row');
    return proposalFrom(stored);
  }

  override async findOpen(id: string): Promise<OpenProposal | undefined> {
    const [stored] = await this.database.query<StoredProposal>(find, [id]);
    return stored && proposalFrom(stored);
  }

  override async listOpen(limit: number, kind?: ProposalKind): Promise<readonly OpenProposal[]> {
    const rows = await this.database.query<StoredProposal>(list, [limit, kind ?? null]);
    return rows.map(proposalFrom);
  }

  override async wasConfirmed(id: string): Promise<boolean> {
    return (await this.database.query(findConfirmed, [id])).length > 0;
  }

  override async take(id: string, by: string): Promise<boolean> {
    return (await this.database.query(take, [id, by])).length > 0;
  }

  override async giveBack(id: string, by: string): Promise<void> {
    await this.database.query(giveBack, [id, by]);
  }

  override async end(id: string, outcome: ProposalOutcome, by: string): Promise<boolean> {
    return (await this.database.query(end, [id, outcome, by])).length > 0;
  }

  override async endAllBy(proposedBy: string, by: string): Promise<void> {
    await this.database.query(endAllBy, [proposedBy, by]);
  }
}

function proposalFrom(stored: StoredProposal): OpenProposal {
  const { merchantId, mode, proposedAt, endsAt, ...same } = stored;
  return {
    ...same,
    ...(merchantId === null ? {} : { merchantId }),
    ...(mode === null ? {} : { mode }),
    proposedAt: instantFromMs(proposedAt.getTime()),
    endsAt: instantFromMs(endsAt.getTime()),
  };
}
