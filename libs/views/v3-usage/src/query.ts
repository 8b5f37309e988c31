import { type Instant, instantFromMs } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { requireServable, type Servability } from '#views/view-set';

/** V3's end, from the log. */
export interface V3Standing {
  readonly notices: readonly {
    readonly at: Instant;
    readonly operator: string;
    readonly text: string;
  }[];
  readonly retired:
    | {
        readonly at: Instant;
        readonly operator: string;
        readonly reason: string | undefined;
        readonly callsInWindow: number;
        readonly threshold: number;
      }
    | undefined;
}

const isRetired = {
  name: 'v3-is-retired',
  text: `
  select checkpoint.fresh_at,
    exists (select 1 from v3_retirement_steps where type = 'V3Retired') as retired
  from checkpoint`,
};

/**
 * True if V3 is retired, by the views.
 * @throws DependencyUnavailable if they were never caught up: they cannot know
 */
export async function isV3Retired(database: Queryable): Promise<boolean> {
  const [row] = await database.query<Servability & { readonly retired: boolean }>(isRetired);
  return requireServable(row).retired;
}

const hadCredential = {
  name: 'v3-had-credential',
  text: `
  select exists (select from credentials where merchant_id = $1 and kind = 'v3') as had
  from checkpoint`,
};

/** True if the merchant has or had a credential of V3, revoked ones included. Without one, no call of V3 is its own. */
export async function hadV3Credential(database: Queryable, merchantId: string): Promise<boolean> {
  const [row] = await database.query<{ readonly had: boolean }>(hadCredential, [merchantId]);
  return row?.had ?? false;
}

interface StepRow {
  readonly type: 'FinalNoticeIssued' | 'V3Retired';
  readonly recorded_at: Date;
  readonly operator: string;
  readonly reason: string | null;
  readonly text: string | null;
  readonly calls_in_window: number | null;
  readonly threshold: number | null;
}

const steps = `
  select type, recorded_at, operator, reason, text, calls_in_window, threshold
    from v3_retirement_steps order by position`;

/** @throws DependencyUnavailable if the views were never caught up */
export async function findV3Standing(database: Queryable): Promise<V3Standing> {
  await isV3Retired(database);
  const rows = await database.query<StepRow>(steps);
  const end = rows.find(({ type }) => type === 'V3Retired');
  const at = ({ recorded_at }: StepRow): Instant => instantFromMs(recorded_at.getTime());
  return {
    notices: rows
      .filter(({ type }) => type === 'FinalNoticeIssued')
      .map((row) => ({ at: at(row), operator: row.operator, text: row.text ?? '' })),
    retired: end && {
      at: at(end),
      operator: end.operator,
      reason: end.reason ?? undefined,
      callsInWindow: end.calls_in_window ?? 0,
      threshold: end.threshold ?? 0,
    },
  };
}

/** A merchant that is moving from V3 to V4. */
export interface MovingMerchant {
  readonly merchantId: string;
  readonly name: string;
  /** Credentials that were not revoked. */
  readonly v3Credentials: number;
  readonly v4Credentials: number;
  readonly checkoutKeys: number;
  /** The last day (UTC) with a collection through V4. */
  readonly lastV4Day: string | undefined;
}

const moving = `
  select m.merchant_id as "merchantId", m.name,
    count(c.credential_id) filter (where c.kind = 'v3')::int as "v3Credentials",
    count(c.credential_id) filter (where c.kind = 'v4')::int as "v4Credentials",
    count(c.credential_id) filter (where c.kind = 'checkout')::int as "checkoutKeys",
    (select max(o.day) from collection_origins o
      where o.merchant_id = m.merchant_id and o.origin = 'v4') as "lastV4Day"
  from merchants m left join credentials c on c.merchant_id = m.merchant_id and not c.revoked
  where ($2::text is null or m.merchant_id = $2)
    and (m.merchant_id = any ($1)
      or exists (select 1 from credentials v3
        where v3.merchant_id = m.merchant_id and v3.kind = 'v3' and not v3.revoked))
  group by m.merchant_id, m.name
  order by m.name, m.merchant_id`;

/**
 * Every merchant with a V3 credential, and the named ones: callers whose credentials were revoked since.
 * @param merchantId only this one
 * @throws DependencyUnavailable if the views were never caught up
 */
export async function listMovingMerchants(
  database: Queryable,
  callers: readonly string[],
  merchantId?: string,
): Promise<MovingMerchant[]> {
  await isV3Retired(database);
  const rows = await database.query<
    Omit<MovingMerchant, 'lastV4Day'> & { lastV4Day: string | null }
  >(moving, [callers, merchantId ?? null]);
  return rows.map((row) => ({ ...row, lastV4Day: row.lastV4Day ?? undefined }));
}

/** Collections of a day by the version of their interface; checkout collections count for the version of their links. */
export interface OriginDay {
  readonly merchantId: string;
  readonly day: string;
  readonly origin: 'v3' | 'v4' | 'checkout';
  readonly collections: number;
}

const origins = `
  select merchant_id as "merchantId", day, origin, sum(collections)::int as collections
    from collection_origins where day >= $1 and ($2::text is null or merchant_id = $2)
    group by merchant_id, day, origin order by merchant_id, day, origin`;

/** @param since a day, YYYY-MM-DD, UTC @param merchantId only this merchant's */
export function listCollectionOrigins(
  database: Queryable,
  since: string,
  merchantId?: string,
): Promise<OriginDay[]> {
  return database.query<OriginDay>(origins, [since, merchantId ?? null]);
}
