import { type Instant, instantFromMs, type Minor, type Mode } from '#domain/kernel';
import { MicroBatcher, type Queryable } from '#infra/postgres';
import {
  ownServability,
  type OwnServability,
  type ReadBound,
  requireOwnServable,
} from '#views/view-set';

/** An account's balance (LIST-18); all figures are as of one position. Minor units. */
export interface Balance {
  readonly accountNo: string;
  readonly currency: string;
  /** Credits − debits. */
  readonly postedMinor: bigint;
  readonly reservedMinor: bigint;
  /** The amount that may be paid out. */
  readonly availableMinor: bigint;
  readonly position: bigint;
  readonly asOf: Instant;
}

export interface BalanceRow extends OwnServability {
  readonly position: bigint;
  readonly fresh_at: Date;
  readonly currency: string | null;
  readonly credits_minor: string;
  readonly debits_minor: string;
  readonly reserved_or_paid_minor: string;
}

const select = {
  name: 'balances-of-accounts',
  text: `
  select c.position, a.currency,
    ${ownServability({ merchant: 'asked.merchant_id', mode: 'asked.mode' })},
    coalesce(b.credits_minor, 0) as credits_minor, coalesce(b.debits_minor, 0) as debits_minor,
    coalesce(r.total_minor, 0) as reserved_or_paid_minor
  from unnest($1::text[], $2::text[], $3::text[])
    with ordinality as asked (merchant_id, mode, account_no, place)
  cross join checkpoint c
  left join accounts a
    on a.account_no = asked.account_no and a.merchant_id = asked.merchant_id and a.mode = asked.mode
  left join balances b
    on b.mode = a.mode and b.currency = a.currency and b.account = 'wallet:' || a.account_no
  left join reservations r
    on r.mode = a.mode and r.currency = a.currency and r.account_no = a.account_no
  order by asked.place`,
};

/** The account whose balance is wanted. */
export interface AccountOfMerchant {
  readonly merchantId: string;
  readonly mode: Mode;
  readonly accountNo: string;
}

/**
 * The balance of a merchant's account; undefined if the account is not the merchant's in this mode.
 * @throws DependencyUnavailable if the views are being built or too old
 */
export async function findBalance(
  database: Queryable,
  account: AccountOfMerchant,
  bound: ReadBound,
): Promise<Balance | undefined> {
  const [row] = await readRows(database, [account]);
  return balanceFrom(account, row, bound);
}

/**
 * The balances of a merchant's accounts in one statement. Accounts that are not the merchant's in the mode are left out.
 * @throws DependencyUnavailable if the views are being built or too old
 */
export async function findBalances(
  database: Queryable,
  accounts: readonly AccountOfMerchant[],
  bound: ReadBound,
): Promise<readonly Balance[]> {
  if (accounts.length === 0) return [];
  const rows = await readRows(database, accounts);
  return accounts.flatMap((account, index) => balanceFrom(account, rows[index], bound) ?? []);
}

/** Does the same as `findBalance` for many callers: those that arrive while a statement runs share the next one. */
export class BalanceReader {
  readonly #batcher: MicroBatcher<AccountOfMerchant, BalanceRow | undefined>;

  constructor(database: Queryable) {
    this.#batcher = new MicroBatcher({ flush: (accounts) => readRows(database, accounts) });
  }

  /** @throws DependencyUnavailable if the views are being built or too old */
  async find(account: AccountOfMerchant, bound: ReadBound): Promise<Balance | undefined> {
    return balanceFrom(account, await this.#batcher.add(account), bound);
  }
}

/** Returns a row for each account, in the given order; none if there is no checkpoint. */
async function readRows(
  database: Queryable,
  accounts: readonly AccountOfMerchant[],
): Promise<readonly (BalanceRow | undefined)[]> {
  const rows = await database.query<BalanceRow>(select, [
    accounts.map(({ merchantId }) => merchantId),
    accounts.map(({ mode }) => mode),
    accounts.map(({ accountNo }) => accountNo),
  ]);
  return accounts.map((_account, index) => rows[index]);
}

function balanceFrom(
  { accountNo }: AccountOfMerchant,
  found: BalanceRow | undefined,
  bound: ReadBound,
): Balance | undefined {
  const row = requireOwnServable(found, bound);
  if (row.currency === null) return undefined;
  return {
    ...balanceOf(accountNo, {
      currency: row.currency,
      credits: BigInt(row.credits_minor),
      debits: BigInt(row.debits_minor),
      reservedOrPaid: BigInt(row.reserved_or_paid_minor),
    }),
    position: row.position,
    asOf: instantFromMs(row.fresh_at.getTime()),
  };
}

/** Computes the three figures (LIST-18). */
export function balanceOf(
  accountNo: string,
  {
    currency,
    credits,
    debits,
    reservedOrPaid,
  }: {
    readonly currency: string;
    readonly credits: Minor;
    readonly debits: Minor;
    /** The total that is reserved or was ever paid out. */
    readonly reservedOrPaid: Minor;
  },
): Omit<Balance, 'position' | 'asOf'> {
  return {
    accountNo,
    currency,
    postedMinor: credits - debits,
    reservedMinor: reservedOrPaid - debits,
    availableMinor: credits - reservedOrPaid,
  };
}
