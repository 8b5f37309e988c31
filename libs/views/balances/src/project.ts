import { type Mode } from '#domain/kernel';
import { type LedgerEntry } from './ledger-entries.js';
import { type Queryable } from '#infra/postgres';
import { recordset } from '#views/view-set';

/** What entries add to an account, credits and debits apart, both positive. */
export interface BalanceChange {
  readonly mode: Mode;
  readonly currency: string;
  readonly account: string;
  readonly credits_minor: bigint;
  readonly debits_minor: bigint;
}

/** One change per account that the entries touch. */
export function balanceChanges(entries: readonly LedgerEntry[]): readonly BalanceChange[] {
  const sums = new Map<string, { credits: bigint; debits: bigint; entry: LedgerEntry }>();
  for (const entry of entries) {
    const key = `${entry.mode}:${entry.currency}:${entry.account}`;
    const sum = sums.get(key) ?? { credits: 0n, debits: 0n, entry };
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
  }));
}

const add = {
  name: 'balances-add',
  text: `
  insert into balances as b
  select * from jsonb_populate_recordset(null::balances, $1)
  on conflict (mode, currency, account) do update set
    credits_minor = b.credits_minor + excluded.credits_minor,
    debits_minor = b.debits_minor + excluded.debits_minor`,
};

/** Adds the batch's legs to the balances, one row per account. */
export async function projectBalances(
  transaction: Queryable,
  entries: readonly LedgerEntry[],
): Promise<void> {
  if (entries.length === 0) return;
  await transaction.query(add, [recordset(balanceChanges(entries))]);
}
