import { type Instant, instantFromMs, type Mode } from '#kernel';
import { type Queryable } from '#postgres';
import { requireServable, type Servability } from '../view-set/freshness.js';
import { type ReadBound } from '../view-set/read-bound.js';

/** An account's balance (contract/decisions.md §3, Balances), all as of one position. Minor units. */
export interface Balance {
  readonly accountNo: string;
  readonly currency: string;
  /** Credits − debits. */
  readonly postedMinor: bigint;
  readonly reservedMinor: bigint;
  /** What may be paid out. */
  readonly availableMinor: bigint;
  readonly position: bigint;
  readonly asOf: Instant;
}

interface Row extends Servability {
  readonly position: bigint;
  readonly fresh_at: Date;
  readonly currency: string | null;
  readonly credits_minor: string;
  readonly debits_minor: string;
}

const select = {
  name: 'balance-of-account',
  text: `
  select c.position, c.fresh_at, a.currency,
    coalesce(b.credits_minor, 0) as credits_minor, coalesce(b.debits_minor, 0) as debits_minor
  from checkpoint c
  left join accounts a on a.account_no = $3 and a.merchant_id = $1 and a.mode = $2
  left join balances b
    on b.mode = a.mode and b.currency = a.currency and b.account = 'wallet:' || a.account_no`,
};

/**
 * The balance of a merchant's account; undefined where it is not the merchant's in this mode.
 * @throws DependencyUnavailable where the views are being built or too old
 */
export async function findBalance(
  database: Queryable,
  account: { readonly merchantId: string; readonly mode: Mode; readonly accountNo: string },
  bound: ReadBound,
): Promise<Balance | undefined> {
  const { merchantId, mode, accountNo } = account;
  const rows = await database.query<Row>(select, [merchantId, mode, accountNo]);
  const row = requireServable(rows[0], bound);
  if (row.currency === null) return undefined;
  const [credits, debits] = [BigInt(row.credits_minor), BigInt(row.debits_minor)];
  // R, all that is reserved or was ever paid out, equals D as long as nothing reserves before it debits.
  const reservedOrPaid = debits;
  return {
    accountNo,
    currency: row.currency,
    postedMinor: credits - debits,
    reservedMinor: reservedOrPaid - debits,
    availableMinor: credits - reservedOrPaid,
    position: row.position,
    asOf: instantFromMs(row.fresh_at.getTime()),
  };
}
