import { instantFromMs, type Instant, type Mode, ok, refuse, type Result } from '#domain/kernel';
import { type Database, type Queryable } from '#infra/postgres';
import { sha256Hex } from '#shared/signing';

/** The kinds of access that a merchant's owner asks for. */
export const accessRequestKinds = ['credential', 'ip_list', 'role', 'role_removal'] as const;
export type AccessRequestKind = (typeof accessRequestKinds)[number];

/** A request as its form makes it. Its content never changes. */
export interface NewAccessRequest {
  readonly id: string;
  readonly kind: AccessRequestKind;
  readonly merchantId: string;
  /** Absent for a role, which counts in both modes. */
  readonly mode?: Mode;
  /** At most one request of a kind is open for each `about` of a merchant. */
  readonly about: string;
  /** JSON of the change, as the form wrote it. */
  readonly details: string;
  readonly reason: string;
  /** As `actor.id`. */
  readonly askedBy: string;
}

/**
 * `sent`: an admin may take it up. `taken`: an admin took it up, and its proposal waits for another. `done`: it took
 * effect. `expired`: no admin decided within 30 days.
 */
export type AccessRequestStatus = 'sent' | 'taken' | 'done' | 'declined' | 'withdrawn' | 'expired';

/** A stored request. */
export interface AccessRequest extends NewAccessRequest {
  readonly askedAt: Instant;
  /** A request that is open after this time is refused. */
  readonly endsAt: Instant;
  readonly status: AccessRequestStatus;
  /** SHA-256 of everything that was asked for, lower-case hex. */
  readonly digest: string;
  /** The reason of a decline. */
  readonly endedReason?: string;
}

/** `too_many`: the merchant has the most open requests. `already_asked`: an open request asks for the same. */
export type AskRefusal = 'too_many' | 'already_asked';

/** Maximum number of open requests of a merchant. */
export const maxOpenRequests = 20;

/**
 * The only place that decides the status. A proposal that ended without a confirmation gives its request back. A claim
 * without a proposal holds for a minute: the process that made it may have died. A confirmation that began just before
 * the proposal's end may take some minutes more. After that its process has died, and the request is open again.
 */
const statusColumn = `
  case
    when request.outcome is not null then request.outcome
    when proposal.outcome = 'confirmed' then 'done'
    when proposal.ended_at is null
      and (proposal.ends_at > records.now_()
        or proposal.taken_by is not null and proposal.ends_at > records.now_() - interval '10 minutes')
      then 'taken'
    when request.proposal_id is null and request.taken_at > records.now_() - interval '1 minute' then 'taken'
    when request.ends_at <= records.now_() then 'expired'
    else 'sent'
  end`;
const joined = `
  records.access_requests request left join records.proposals proposal on proposal.id = request.proposal_id`;
const columns = `
  request.id, request.kind, request.merchant_id as "merchantId", request.mode, request.about, request.details,
  request.digest, request.reason, request.asked_by as "askedBy", request.asked_at as "askedAt",
  request.ends_at as "endsAt", request.ended_reason as "endedReason", ${statusColumn} as status`;
/** Serializes the requests of one merchant, so that their number is exact. */
const lockMerchant = `select pg_advisory_xact_lock(7265006, hashtext($1))`;
const selectOpenOf = `
  select request.kind, request.about from ${joined}
    where request.merchant_id = $1 and request.ended_at is null and ${statusColumn} in ('sent', 'taken')`;
const insert = `
  insert into records.access_requests (id, kind, merchant_id, mode, about, details, digest, reason, asked_by)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`;
const selectOne = `select ${columns} from ${joined} where request.id::text = $1`;
const selectOfMerchant = `
  select ${columns} from ${joined}
    where request.merchant_id = $1 and request.kind = any($2) and coalesce(request.mode, $3) = $3
    order by request.asked_at desc, request.id desc limit $4`;
const selectSent = `
  select ${columns} from ${joined}
    where request.ended_at is null and ${statusColumn} = 'sent'
    order by request.asked_at, request.id limit $1`;
const selectOfProposals = `
  select request.proposal_id as "proposalId", request.asked_by as "askedBy" from records.access_requests request
    where request.proposal_id = any($1::uuid[])`;
const lockRequest = `select 1 from records.access_requests where id::text = $1 for update`;
const claim = `
  update records.access_requests
    set taken_by = $2, taken_at = records.now_(), proposal_id = null where id = $1`;
const note = `
  update records.access_requests set proposal_id = $3 where id = $1 and taken_by = $2 and ended_at is null`;
const giveBack = `
  update records.access_requests set taken_by = null, taken_at = null
    where id = $1 and taken_by = $2 and proposal_id is null and ended_at is null`;
const finish = `
  update records.access_requests set outcome = 'done', ended_at = records.now_(), ended_by = $2
    where id = $1 and taken_by = $2 and ended_at is null`;
const end = `
  update records.access_requests set outcome = $2, ended_at = records.now_(), ended_by = $3, ended_reason = $4
    where id = $1`;

interface StoredRequest extends Omit<
  AccessRequest,
  'mode' | 'askedAt' | 'endsAt' | 'endedReason' | 'id'
> {
  readonly id: string;
  readonly mode: Mode | null;
  readonly askedAt: Date;
  readonly endsAt: Date;
  readonly endedReason: string | null;
}

/**
 * Requests of merchants' owners that admins take up (POR-97). They decide nothing by themselves. Each method throws
 * DependencyUnavailable.
 */
export class AccessRequests {
  constructor(private readonly database: Database) {}

  /** Stores a request, unless the merchant has the most open ones or an open one asks for the same. */
  async ask(request: NewAccessRequest): Promise<Result<undefined, AskRefusal>> {
    const { id, kind, merchantId, mode = null, about, details, reason, askedBy } = request;
    return this.database.transaction(async (transaction) => {
      await transaction.query(lockMerchant, [merchantId]);
      const open = await transaction.query<Pick<NewAccessRequest, 'kind' | 'about'>>(selectOpenOf, [
        merchantId,
      ]);
      if (open.some((one) => one.kind === kind && one.about === about))
        return refuse('already_asked');
      if (open.length >= maxOpenRequests) return refuse('too_many');
      const said = [about, details, digestOf(request), reason, askedBy];
      await transaction.query(insert, [id, kind, merchantId, mode, ...said]);
      return ok(undefined);
    });
  }

  /** Finds a request whose content is as it was asked for. */
  async find(id: string): Promise<AccessRequest | undefined> {
    const [stored] = await this.database.query<StoredRequest>(selectOne, [id]);
    const found = stored && requestFrom(stored);
    return found && isIntact(found) ? found : undefined;
  }

  /** Lists a merchant's requests of these kinds, the newest first. */
  async listOf(
    { merchantId, mode }: { readonly merchantId: string; readonly mode: Mode },
    kinds: readonly AccessRequestKind[],
    limit: number,
  ): Promise<readonly AccessRequest[]> {
    const asked = [merchantId, kinds, mode, limit];
    const rows = await this.database.query<StoredRequest>(selectOfMerchant, asked);
    return rows.map(requestFrom);
  }

  /** Lists the requests that an admin may take up, the oldest first. */
  async listSent(limit: number): Promise<readonly AccessRequest[]> {
    const rows = await this.database.query<StoredRequest>(selectSent, [limit]);
    return rows.map(requestFrom);
  }

  /** Returns the people who asked for what these proposals make, by the proposal's id. */
  async askersOf(proposalIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
    if (proposalIds.length === 0) return new Map();
    const rows = await this.database.query<{
      readonly proposalId: string;
      readonly askedBy: string;
    }>(selectOfProposals, [proposalIds]);
    return new Map(rows.map(({ proposalId, askedBy }) => [proposalId, askedBy]));
  }

  /**
   * Claims a request for one admin, who then makes or proposes the change.
   * @param digest of the content that the admin saw
   * @returns the request; undefined if it is not open, was claimed by another, or has another content
   */
  async claim(id: string, digest: string, by: string): Promise<AccessRequest | undefined> {
    return this.whileSent(id, async (request, transaction) => {
      if (request.digest !== digest || !isIntact(request)) return undefined;
      await transaction.query(claim, [id, by]);
      return request;
    });
  }

  /** Notes the proposal that the claimer made. */
  async noteProposal(id: string, by: string, proposalId: string): Promise<void> {
    await this.database.query(note, [id, by, proposalId]);
  }

  /** Ends a claimed request whose change took effect without a second admin. */
  async finish(id: string, by: string): Promise<void> {
    await this.database.query(finish, [id, by]);
  }

  /** Opens a claimed request again, because its change was refused. */
  async giveBack(id: string, by: string): Promise<void> {
    await this.database.query(giveBack, [id, by]);
  }

  /** An admin declines an open request. @returns false if it is not open any more */
  async decline(id: string, by: string, reason: string): Promise<boolean> {
    const ended = await this.whileSent(id, async (_request, transaction) => {
      await transaction.query(end, [id, 'declined', by, reason]);
      return true;
    });
    return ended === true;
  }

  /**
   * An owner withdraws an open request of their merchant.
   * @returns its kind; undefined if it is not open, or another merchant's
   */
  withdraw(id: string, by: string, merchantId: string): Promise<AccessRequestKind | undefined> {
    return this.whileSent(id, async (request, transaction) => {
      if (request.merchantId !== merchantId) return undefined;
      await transaction.query(end, [id, 'withdrawn', by, null]);
      return request.kind;
    });
  }

  /** Does something to a request that no other process changes meanwhile, if it may be taken up. */
  private whileSent<Done>(
    id: string,
    run: (request: AccessRequest, transaction: Queryable) => Promise<Done | undefined>,
  ): Promise<Done | undefined> {
    return this.database.transaction(async (transaction) => {
      await transaction.query(lockRequest, [id]);
      // A statement of its own sees the row as the process before left it.
      const [stored] = await transaction.query<StoredRequest>(selectOne, [id]);
      if (stored?.status !== 'sent') return undefined;
      return run(requestFrom(stored), transaction);
    });
  }
}

/** SHA-256 of everything that was asked for, as lower-case hex. */
function digestOf(request: NewAccessRequest): string {
  const { id, kind, merchantId, mode = null, about, details, reason, askedBy } = request;
  return sha256Hex(JSON.stringify([id, kind, merchantId, mode, about, details, reason, askedBy]));
}

function isIntact(request: AccessRequest): boolean {
  return request.digest === digestOf(request);
}

function requestFrom({
  mode,
  askedAt,
  endsAt,
  endedReason,
  ...same
}: StoredRequest): AccessRequest {
  return {
    ...same,
    ...(mode === null ? {} : { mode }),
    ...(endedReason === null ? {} : { endedReason }),
    askedAt: instantFromMs(askedAt.getTime()),
    endsAt: instantFromMs(endsAt.getTime()),
  };
}
