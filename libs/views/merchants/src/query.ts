import { type Mode } from '#domain/kernel';
import { type Account, AccountNumbers, MerchantDirectory } from '#domain/merchants';
import { type Queryable } from '#infra/postgres';
import { LRUCache } from 'lru-cache';
import { requireServable, type Servability } from '#views/view-set';

interface Row extends Servability {
  readonly account_no: string | null;
  readonly currency: string;
  readonly basis_points: number | null;
  readonly flat_minor: bigint | null;
  readonly channels: readonly string[];
}

interface NumberedRow extends Row {
  readonly merchant_id: string | null;
}

const selectAccount = {
  name: 'account-with-terms',
  text: `
  select checkpoint.fresh_at, a.account_no, a.currency, a.channels, f.basis_points, f.flat_minor
  from checkpoint
  left join accounts a on a.account_no = $3 and a.merchant_id = $1 and a.mode = $2
  left join fee_schedules f on f.merchant_id = a.merchant_id and f.mode = a.mode`,
};

const selectByNumber = {
  name: 'account-by-number',
  text: `
  select checkpoint.fresh_at, a.merchant_id, a.account_no, a.currency, a.channels, f.basis_points, f.flat_minor
  from checkpoint
  left join accounts a on a.account_no = $2 and a.mode = $1
  left join fee_schedules f on f.merchant_id = a.merchant_id and f.mode = a.mode`,
};

/** Maximum age of terms when an intent fixes its fee. An operator's change acts within a second, like a revocation. */
const maxAgeMs = 1000;

/** Accounts and their terms from the views, cached for a second. */
export class CachedMerchantDirectory extends MerchantDirectory {
  readonly #accounts: LRUCache<string, Account | { readonly kind: 'unknown' }, AccountKey>;

  constructor(database: Queryable) {
    super();
    this.#accounts = new LRUCache({
      max: 10_000,
      ttl: maxAgeMs,
      fetchMethod: (_key, _stale, { context }) => find(database, context),
    });
  }

  override async findAccount(
    merchantId: string,
    mode: Mode,
    accountNo: string,
  ): Promise<Account | undefined> {
    const key = `${mode}:${merchantId}:${accountNo}`;
    const found = await this.#accounts.fetch(key, { context: { merchantId, mode, accountNo } });
    return found && 'accountNo' in found ? found : undefined;
  }
}

/** Accounts by their numbers, from the views. */
export class ProjectedAccountNumbers extends AccountNumbers {
  constructor(private readonly database: Queryable) {
    super();
  }

  override async find(mode: Mode, accountNo: string): Promise<Account | undefined> {
    const [row] = await this.database.query<NumberedRow>(selectByNumber, [mode, accountNo]);
    const { merchant_id: merchantId, ...found } = requireServable(row);
    return merchantId === null ? undefined : accountOf({ merchantId, mode, accountNo }, found);
  }
}

interface AccountKey {
  readonly merchantId: string;
  readonly mode: Mode;
  readonly accountNo: string;
}

async function find(
  database: Queryable,
  { merchantId, mode, accountNo }: AccountKey,
): Promise<Account | { readonly kind: 'unknown' }> {
  const [row] = await database.query<Row>(selectAccount, [merchantId, mode, accountNo]);
  const found = requireServable(row);
  if (found.account_no === null) return { kind: 'unknown' };
  return accountOf({ merchantId, mode, accountNo }, found);
}

function accountOf(
  key: AccountKey,
  row: Pick<Row, 'currency' | 'basis_points' | 'flat_minor' | 'channels'>,
): Account {
  const { currency, basis_points, flat_minor, channels } = row;
  const feeSchedule = { basisPoints: basis_points ?? 0, flatMinor: flat_minor ?? 0n };
  return { ...key, currency, feeSchedule, channels };
}
