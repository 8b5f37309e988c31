import { type Queryable } from '#infra/postgres';
import { type LedgerEntry } from './ledger-entries/entries.js';
import { recordset } from '#views/view-set';
import { balanceChanges } from './changes.js';

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
