import { type Queryable } from '#postgres';
import { type LedgerEntry } from '../ledger-entries/project.js';
import { recordset } from '../view-set/recordset.js';

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
  const sums = new Map<string, { credits: bigint; debits: bigint; entry: LedgerEntry }>();
  for (const entry of entries) {
    const key = `${entry.mode}:${entry.currency}:${entry.account}`;
    const sum = sums.get(key) ?? { credits: 0n, debits: 0n, entry };
    if (entry.amount_minor >= 0n) sum.credits += entry.amount_minor;
    else sum.debits -= entry.amount_minor;
    sums.set(key, sum);
  }
  const rows = [...sums.values()].map(({ credits, debits, entry }) => ({
    mode: entry.mode,
    currency: entry.currency,
    account: entry.account,
    credits_minor: credits,
    debits_minor: debits,
  }));
  await transaction.query(add, [recordset(rows)]);
}
