import { type Mode } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { recordset } from '#views/view-set';
import { accountKey, type LedgerEntry } from './ledger-entry.js';

const insert = {
  name: 'ledger-entries-insert',
  text: `insert into ledger_entries select * from json_populate_recordset(null::ledger_entries, $1)`,
};

/** Inserts the legs of a batch. */
export async function projectLedgerEntries(
  transaction: Queryable,
  entries: readonly LedgerEntry[],
): Promise<void> {
  if (entries.length > 0) await transaction.query(insert, [recordset(entries)]);
}

/** The sums of entries for one account: credits and debits separately, both positive. */
interface BalanceChange {
  readonly mode: Mode;
  readonly currency: string;
  readonly account: string;
  readonly credits_minor: bigint;
  readonly debits_minor: bigint;
  /** The account's last link; null leaves it unchanged. */
  readonly link: string | null;
}

/** Returns one change for each account in the entries. */
export function balanceChanges(entries: readonly LedgerEntry[]): readonly BalanceChange[] {
  const sums = new Map<string, { credits: bigint; debits: bigint; entry: LedgerEntry }>();
  for (const entry of entries) {
    const key = accountKey(entry);
    const sum = sums.get(key) ?? { credits: 0n, debits: 0n, entry };
    sum.entry = entry;
    if (entry.amount_minor >= 0n) sum.credits += entry.amount_minor;
    else sum.debits -= entry.amount_minor;
    sums.set(key, sum);
  }
  return [...sums.values()].map(({ credits, debits, entry }) => ({
    mode: entry.mode,
    currency: entry.currency,
    account: entry.account,
    credits_minor: credits,
    debits_minor: debits,
    link: entry.link,
  }));
}

const add = {
  name: 'balances-add',
  text: `
  insert into balances as b
  select * from json_populate_recordset(null::balances, $1)
  on conflict (mode, currency, account) do update set
    credits_minor = b.credits_minor + excluded.credits_minor,
    debits_minor = b.debits_minor + excluded.debits_minor,
    link = coalesce(excluded.link, b.link)`,
};

/** Adds the batch's legs to the balances, one row per account. */
export async function projectBalances(
  transaction: Queryable,
  entries: readonly LedgerEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  await transaction.query(add, [recordset(balanceChanges(entries))]);
}
