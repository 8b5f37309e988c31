import { type Instant, instantFromMs } from '#domain/kernel';
import {
  type OpenRoleProposal,
  roleFrom,
  type RoleProposal,
  type RoleProposalOutcome,
  RoleProposals,
} from '#domain/people';
import { type Database } from '#infra/postgres';

interface StoredProposal {
  readonly id: string;
  readonly person: string;
  readonly name: string;
  readonly role: string;
  readonly merchantId: string | null;
  readonly reason: string;
  readonly proposedBy: string;
  readonly proposedAt: Date;
  readonly endsAt: Date;
}

const columns = `
  id, person, name, role, merchant_id as "merchantId", reason, proposed_by as "proposedBy",
  proposed_at as "proposedAt", ends_at as "endsAt"`;
/** Serializes the opening of proposals for one person’s role. */
const lock = `select pg_advisory_xact_lock(7265004, hashtext($1))`;
const replace = `
  update records.role_proposals set ended_at = records.now_(), outcome = 'replaced', ended_by = $4
    where person = $1 and role = $2 and coalesce(merchant_id, '') = coalesce($3, '') and ended_at is null`;
const insert = `
  insert into records.role_proposals (id, person, name, role, merchant_id, reason, proposed_by)
  values ($1, $2, $3, $4, $5, $6, $7) returning ${columns}`;
const waiting = `ended_at is null and ends_at > records.now_()`;
const find = `select ${columns} from records.role_proposals where id::text = $1 and ${waiting}`;
const list = `select ${columns} from records.role_proposals where ${waiting} order by proposed_at, id`;
const end = `
  update records.role_proposals set ended_at = records.now_(), outcome = $2, ended_by = $3
    where id = $1 and ended_at is null`;

const endAllBy = `
  update records.role_proposals set ended_at = records.now_(), outcome = 'declined', ended_by = $2
    where proposed_by = $1 and ended_at is null`;

/** Proposals of roles as rows; they end but are never deleted. */
export class RecordedRoleProposals extends RoleProposals {
  constructor(private readonly database: Database) {
    super();
  }

  override async open({ id, terms, reason, proposedBy }: RoleProposal): Promise<OpenRoleProposal> {
    const { person, name, role, merchantId = null } = terms;
    const [stored] = await this.database.transaction(async (transaction) => {
      await transaction.query(lock, [person]);
      await transaction.query(replace, [person, role, merchantId, proposedBy]);
      return transaction.query<StoredProposal>(insert, [
        ...[id, person, name, role, merchantId, reason, proposedBy],
      ]);
    });
    if (!stored) throw new TypeError('the insert returns its row');
    return proposalFrom(stored);
  }

  override async findOpen(id: string): Promise<OpenRoleProposal | undefined> {
    const [stored] = await this.database.query<StoredProposal>(find, [id]);
    return stored && proposalFrom(stored);
  }

  override async listOpen(): Promise<readonly OpenRoleProposal[]> {
    return (await this.database.query<StoredProposal>(list)).map(proposalFrom);
  }

  override async end(id: string, outcome: RoleProposalOutcome, by: string): Promise<void> {
    await this.database.query(end, [id, outcome, by]);
  }

  override async endAllBy(proposedBy: string, by: string): Promise<void> {
    await this.database.query(endAllBy, [proposedBy, by]);
  }
}

/** The table contains only rows that `open` wrote. */
function proposalFrom(stored: StoredProposal): OpenRoleProposal {
  const { id, person, name, merchantId, reason, proposedBy } = stored;
  const held = roleFrom(stored.role, merchantId ?? undefined);
  if (!held) throw new TypeError(`no role is called ${stored.role}`);
  const terms = { ...held, person, name };
  const [proposedAt, endsAt] = [instantOf(stored.proposedAt), instantOf(stored.endsAt)];
  return { id, terms, reason, proposedBy, proposedAt, endsAt };
}

function instantOf(at: Date): Instant {
  return instantFromMs(at.getTime());
}
