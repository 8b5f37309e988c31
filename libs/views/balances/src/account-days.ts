import { type Instant, type Mode } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { minuteOf, recordset } from '#views/view-set';
import { type LedgerEntry } from './ledger-entry.js';

/** The sums of a wallet's entries that were recorded in one minute; both positive. */
interface MinuteSums {
  readonly mode: Mode;
  readonly currency: string;
  readonly account_no: string;
  readonly recorded_at: Instant;
  credits_minor: bigint;
  debits_minor: bigint;
}

const add = {
  name: 'account-days-add',
  text: `
  insert into account_days as d
  select told.mode, told.currency, told.account_no, (told.recorded_at at time zone m.timezone)::date,
    sum(told.credits_minor), sum(told.debits_minor)
  from json_to_recordset($1) as told (mode text, currency text, account_no text, recorded_at timestamptz,
    credits_minor numeric(38, 0), debits_minor numeric(38, 0))
  join accounts a on a.account_no = told.account_no
  join merchants m on m.merchant_id = a.merchant_id
  group by 1, 2, 3, 4
  on conflict (mode, currency, account_no, day) do update set
    credits_minor = d.credits_minor + excluded.credits_minor,
    debits_minor = d.debits_minor + excluded.debits_minor`,
};

const walletPrefix = 'wallet:';

/** Returns the number of the wallet's account; undefined for an account of the platform. */
export function walletNumberOf(account: string): string | undefined {
  return account.startsWith(walletPrefix) ? account.slice(walletPrefix.length) : undefined;
}

/** Adds the batch's legs to the days of their wallets (LIST-28): usually one row per account. */
export async function projectAccountDays(
  transaction: Queryable,
  entries: readonly LedgerEntry[],
): Promise<void> {
  const sums = new Map<string, MinuteSums>();
  for (const { mode, currency, account, recorded_at, amount_minor: amount } of entries) {
    const account_no = walletNumberOf(account);
    if (account_no === undefined) continue;
    const minute = minuteOf(recorded_at);
    const key = `${mode} ${currency} ${minute} ${account_no}`;
    let sum = sums.get(key);
    if (!sum) {
      const place = { mode, currency, account_no, recorded_at: minute };
      sums.set(key, (sum = { ...place, credits_minor: 0n, debits_minor: 0n }));
    }
    if (amount >= 0n) sum.credits_minor += amount;
    else sum.debits_minor -= amount;
  }
  if (sums.size > 0) await transaction.query(add, [recordset([...sums.values()])]);
}
