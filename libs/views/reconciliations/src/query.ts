import { type Instant, instantFromMs, type Mode } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { dayBeginsAt, requireServable, type Servability } from '#views/view-set';

/** A reconciliation in the list. */
export interface ListedReconciliation {
  /** The id of its event. */
  readonly id: string;
  readonly merchantId: string;
  readonly mode: Mode;
  readonly accountNo: string;
  readonly currency: string;
  /** The rail whose statement it is. */
  readonly channel: string;
  readonly date: string;
  readonly recordedAt: Instant;
  readonly operator: string;
  readonly fileSha256: string;
  /** The position that the ledger's figures reflected. */
  readonly ledgerPosition: bigint;
  readonly matched: number;
  readonly open: number;
  /** True if the day was over, in the merchant's time zone, at the time of recording. Before that, more could come. */
  readonly wasOver: boolean;
  /** The event's revision in its stream. */
  readonly revision: bigint;
}

interface Filter {
  readonly id?: string;
  readonly merchantId?: string;
  readonly accountNo?: string;
  /** Days, YYYY-MM-DD, inclusive. */
  readonly from?: string;
  readonly to?: string;
  readonly limit: number;
}

type Row = Servability & {
  readonly id: string | null;
  readonly merchant_id: string;
  readonly mode: Mode;
  readonly account_no: string;
  readonly currency: string;
  readonly channel: string;
  readonly date: string;
  readonly recorded_at: Date;
  readonly operator: string;
  readonly file_sha256: string;
  readonly ledger_position: bigint;
  readonly matched: number;
  readonly open: number;
  readonly was_over: boolean;
  readonly revision: bigint;
};

const select = {
  name: 'reconciliations-list',
  text: `
  select checkpoint.fresh_at, r.*
  from checkpoint
  left join lateral (
    select r.*, r.recorded_at >= ${dayBeginsAt('r.date + 1', 'm.timezone')} as was_over
    from reconciliations r join merchants m using (merchant_id)
    where ($1::text is null or r.id = $1) and ($2::text is null or r.merchant_id = $2)
      and ($3::text is null or r.account_no = $3)
      and ($4::date is null or r.date >= $4) and ($5::date is null or r.date <= $5)
    order by r.position desc
    limit $6
  ) r on true
  order by r.position desc`,
};

/**
 * Reconciliations, newest first.
 * @returns `more`: true if there are more than the limit
 * @throws DependencyUnavailable if the views are being built
 */
export async function listReconciliations(
  database: Queryable,
  { id, merchantId, accountNo, from, to, limit }: Filter,
): Promise<{ readonly reconciliations: readonly ListedReconciliation[]; readonly more: boolean }> {
  const values = [id, merchantId, accountNo, from, to].map((value) => value ?? null);
  const rows = await database.query<Row>(select, [...values, limit + 1]);
  requireServable(rows[0]);
  const found = rows.flatMap((row) =>
    row.id === null ? [] : [listedFrom({ ...row, id: row.id })],
  );
  return { reconciliations: found.slice(0, limit), more: found.length > limit };
}

function listedFrom(row: Row & { readonly id: string }): ListedReconciliation {
  return {
    id: row.id,
    merchantId: row.merchant_id,
    mode: row.mode,
    accountNo: row.account_no,
    currency: row.currency,
    channel: row.channel,
    date: row.date,
    recordedAt: instantFromMs(row.recorded_at.getTime()),
    operator: row.operator,
    fileSha256: row.file_sha256,
    ledgerPosition: row.ledger_position,
    matched: row.matched,
    open: row.open,
    wasOver: row.was_over,
    revision: row.revision,
  };
}
