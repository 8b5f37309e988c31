import { type Queryable } from '#infra/postgres';

/** A refused call, without its path, query and body, which may not be stored. */
export interface RefusedRequest {
  readonly credentialId: string;
  readonly requestId: string;
  readonly method: string;
  /** The route's pattern. */
  readonly route: string;
  readonly status: number;
  readonly code: string;
  readonly at: Date;
}

/** A refused call as it is stored. */
export interface ListedRefusal extends RefusedRequest {
  /** A number in the order in which the rows were written. */
  readonly id: bigint;
}

/** Calls noted over a few seconds. */
export interface NotedCalls {
  /** The latest use of each credential. */
  readonly uses: readonly { readonly credentialId: string; readonly at: Date }[];
  readonly refused: readonly RefusedRequest[];
}

const noteUses = `
  insert into records.credential_uses as known (credential_id, last_used_at)
    select * from unnest($1::text[], $2::timestamptz[])
  on conflict (credential_id) do update
    set last_used_at = greatest(known.last_used_at, excluded.last_used_at)
    where excluded.last_used_at > known.last_used_at + interval '1 minute'`;
const noteRefusals = `
  insert into records.refused_requests (credential_id, request_id, method, route, status, code, refused_at)
    select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[], $6::text[], $7::timestamptz[])`;
const selectUses = {
  name: 'credential-uses',
  text: `
  select credential_id, last_used_at from records.credential_uses where credential_id = any ($1::text[])`,
};
const selectRefusals = {
  name: 'refused-requests',
  text: `
  select r.* from unnest($1::text[]) as own (credential_id)
  cross join lateral (
    select id, credential_id as "credentialId", request_id as "requestId", method, route, status, code,
      refused_at as "at"
    from records.refused_requests
    where credential_id = own.credential_id and id < $2
    order by id desc limit $3
  ) r
  order by r.id desc limit $3`,
};
const largest = 2n ** 63n - 1n;

/**
 * Stores calls of credentials; refusals for 7 days. Each method throws DependencyUnavailable.
 */
export class CallRecords {
  constructor(private readonly database: Queryable) {}

  async add({ uses, refused }: NotedCalls): Promise<void> {
    // All processes use the same order, so that no two of them deadlock.
    const sorted = uses.toSorted((one, other) => (one.credentialId < other.credentialId ? -1 : 1));
    if (sorted.length > 0)
      await this.database.query(noteUses, [
        sorted.map(({ credentialId }) => credentialId),
        sorted.map(({ at }) => at),
      ]);
    if (refused.length > 0)
      await this.database.query(noteRefusals, [
        refused.map(({ credentialId }) => credentialId),
        refused.map(({ requestId }) => requestId),
        refused.map(({ method }) => method),
        refused.map(({ route }) => route),
        refused.map(({ status }) => status),
        refused.map(({ code }) => code),
        refused.map(({ at }) => at),
      ]);
  }

  /** Last uses by credential. A credential is absent if no use was noted. */
  async lastUses(credentialIds: readonly string[]): Promise<ReadonlyMap<string, Date>> {
    const rows = await this.database.query<{ credential_id: string; last_used_at: Date }>(
      selectUses,
      [credentialIds],
    );
    return new Map(rows.map((row) => [row.credential_id, row.last_used_at]));
  }

  /**
   * Refused calls, the newest first.
   * @param page `before`: only those before this one
   */
  refusals(
    credentialIds: readonly string[],
    { before = largest, limit }: { readonly before?: bigint; readonly limit: number },
  ): Promise<readonly ListedRefusal[]> {
    return this.database.query<ListedRefusal>(selectRefusals, [credentialIds, before, limit]);
  }
}
