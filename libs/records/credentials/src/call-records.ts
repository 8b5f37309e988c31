import { type Queryable } from '#infra/postgres';

/** A call of a merchant's program, without body and headers. */
export interface LoggedCall {
  readonly credentialId: string;
  /** Undefined if the call did not prove its credential. */
  readonly merchantId: string | undefined;
  readonly mode: string | undefined;
  readonly requestId: string;
  readonly method: string;
  /** The route's pattern. */
  readonly route: string;
  /** Path and query with long numbers masked. Undefined if they are not stored (POR-106). */
  readonly target: string | undefined;
  readonly status: number;
  /** Undefined if the call was accepted. */
  readonly code: string | undefined;
  readonly durationMs: number;
  readonly at: Date;
}

/** A call as it is stored. */
export interface ListedCall {
  /** A number in the order in which the rows were written. */
  readonly id: bigint;
  readonly credentialId: string;
  readonly requestId: string;
  readonly method: string;
  readonly route: string;
  readonly target: string | null;
  readonly status: number;
  readonly code: string | null;
  /** Null for calls that an earlier release noted. */
  readonly durationMs: number | null;
  readonly at: Date;
}

/** Calls noted over a few seconds. */
export interface NotedCalls {
  /** The latest use of each credential. */
  readonly uses: readonly { readonly credentialId: string; readonly at: Date }[];
  readonly calls: readonly LoggedCall[];
}

/** The calls that a list or a count matches. */
export interface CallsMatched {
  readonly credentialIds: readonly string[];
  /** Matches only refused calls. */
  readonly onlyRefused?: boolean;
  /** The first digit of the HTTP status. */
  readonly statusClass?: number;
  /** A part of the path and query, or a whole request id. */
  readonly text?: string;
}

export interface CallsWanted extends CallsMatched {
  /** Matches only calls before this one. */
  readonly before?: bigint;
  readonly limit: number;
}

export interface CallsCount {
  /** At most `mostCounted`. */
  readonly calls: number;
  /** The refused ones of them. */
  readonly refused: number;
  /** True if more calls match than were counted: the counts are those of the newest. */
  readonly hasMore: boolean;
}

/** Most calls that a count reads, so that it takes no longer than a list. */
export const mostCounted = 1000;
/** Accepted calls of a merchant and mode that are kept. */
export const acceptedKept = 10_000;
/** A bound for one deletion, so that no deletion is long. */
const trimmedAtOnce = 5000;
/** A filter reads at most this many calls of each credential. */
const scanned = 20_000;

const noteUses = `
  insert into records.credential_uses as known (credential_id, last_used_at)
    select * from unnest($1::text[], $2::timestamptz[])
  on conflict (credential_id) do update
    set last_used_at = greatest(known.last_used_at, excluded.last_used_at)
    where excluded.last_used_at > known.last_used_at + interval '1 minute'`;
const noteCalls = {
  name: 'api-calls-note',
  text: `
  insert into records.api_calls
      (credential_id, merchant_id, mode, request_id, method, route, target, status, code, duration_ms, called_at)
    select "credentialId", "merchantId", mode, "requestId", method, route, target, status, code, "durationMs", at
    from json_to_recordset($1) as call ("credentialId" text, "merchantId" text, mode text, "requestId" text, method text,
      route text, target text, status integer, code text, "durationMs" integer, at timestamptz)`,
};
const trimAccepted = {
  name: 'api-calls-trim',
  text: `
  delete from records.api_calls where id in (
    select id from records.api_calls
    where merchant_id = $1 and mode = $2 and code is null
    order by id desc offset ${acceptedKept} limit ${trimmedAtOnce})`,
};
const selectUses = {
  name: 'credential-uses',
  text: `
  select credential_id, last_used_at from records.credential_uses where credential_id = any ($1::text[])`,
};
const largest = 2n ** 63n - 1n;

/**
 * Stores calls of credentials: refused ones for 7 days, and of the accepted ones the newest. Each method throws
 * DependencyUnavailable.
 */
export class CallRecords {
  constructor(private readonly database: Queryable) {}

  async add({ uses, calls }: NotedCalls): Promise<void> {
    // All processes use the same order, so that no two of them deadlock.
    const sorted = uses.toSorted((one, other) => (one.credentialId < other.credentialId ? -1 : 1));
    if (sorted.length > 0)
      await this.database.query(noteUses, [
        sorted.map(({ credentialId }) => credentialId),
        sorted.map(({ at }) => at),
      ]);
    if (calls.length > 0) await this.database.query(noteCalls, [JSON.stringify(calls)]);
  }

  /** Deletes accepted calls of a merchant and mode, except the newest. */
  async trim(merchantId: string, mode: string): Promise<void> {
    await this.database.query(trimAccepted, [merchantId, mode]);
  }

  /** Last uses by credential. A credential is absent if no use was noted. */
  async lastUses(credentialIds: readonly string[]): Promise<ReadonlyMap<string, Date>> {
    const rows = await this.database.query<{ credential_id: string; last_used_at: Date }>(
      selectUses,
      [credentialIds],
    );
    return new Map(rows.map((row) => [row.credential_id, row.last_used_at]));
  }

  /** Calls of these credentials, the newest first. */
  list(wanted: CallsWanted): Promise<readonly ListedCall[]> {
    const statement = listStatement(wanted.onlyRefused ?? false);
    return this.database.query<ListedCall>(statement, valuesOf(wanted));
  }

  /** Counts the newest calls that match. */
  async count(matched: CallsMatched): Promise<CallsCount> {
    const statement = countStatement(matched.onlyRefused ?? false);
    const values = valuesOf({ ...matched, limit: mostCounted + 1 });
    const [row] = await this.database.query<Omit<CallsCount, 'hasMore'>>(statement, [
      ...values,
      mostCounted,
    ]);
    const { calls = 0, refused = 0 } = row ?? {};
    return { calls: Math.min(calls, mostCounted), refused, hasMore: calls > mostCounted };
  }
}

function valuesOf({ credentialIds, before = largest, limit, statusClass, text }: CallsWanted) {
  return [credentialIds, before, limit, statusClass ?? null, text ?? null];
}

// The rows of each credential are bounded before the filters, so that a filter that matches little stays cheap.
const matchingCalls = (onlyRefused: boolean): string => `
  select call.* from unnest($1::text[]) as own (credential_id)
  cross join lateral (
    select id, credential_id as "credentialId", request_id as "requestId", method, route, target, status, code,
      duration_ms as "durationMs", called_at as "at"
    from (
      select * from records.api_calls
      where credential_id = own.credential_id and id < $2 ${onlyRefused ? 'and code is not null' : ''}
      order by id desc limit ${scanned}
    ) newest
    where ($4::integer is null or status / 100 = $4)
      and ($5::text is null or position($5 in coalesce(target, route)) > 0 or request_id = $5)
    order by id desc limit $3
  ) call
  order by call.id desc limit $3`;

const listStatement = (onlyRefused: boolean) => ({
  name: onlyRefused ? 'api-calls-refused' : 'api-calls',
  text: matchingCalls(onlyRefused),
});

const countStatement = (onlyRefused: boolean) => ({
  name: onlyRefused ? 'api-calls-count-refused' : 'api-calls-count',
  text: `
  select count(*)::integer as calls, count(code) filter (where place <= $6)::integer as refused
    from (select code, row_number() over (order by id desc) as place from (${matchingCalls(onlyRefused)}) matching) numbered`,
});
