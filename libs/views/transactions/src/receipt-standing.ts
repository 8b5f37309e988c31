import { type Mode } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { byReceipt } from './project.js';

// One statement, so that a quarantine that ends meanwhile hides no receipt. The records contain the receipts that
// operators used, whatever the views contain.
const select = {
  name: 'receipt-standing',
  text: `
  select exists (${byReceipt.text}) as "isKnown",
    exists (
      select from quarantines q
      where q.scope = $1 and ($4
        or exists (select from accounts a where a.account_no = $3 and a.mode = $1 and a.merchant_id = q.merchant_id)
        or exists (select from records.receipt_claims c where c.mode = $1 and c.receipt = $2))
    ) as "isHeldBack"`,
};

/**
 * The standing of a receipt in the views. `known`: an item has it. `held_back`: an item may have it, but a merchant is
 * quarantined. `new`: no item has it.
 */
export type ReceiptStanding = 'known' | 'held_back' | 'new';

interface ReportedPayment {
  readonly receipt: string;
  /** The account number that the customer named. */
  readonly accountNo?: string;
  /** The text that the customer typed, if it can be a code of ours. */
  readonly code?: string;
}

/**
 * Looks up the receipt of a payment without a push. While a merchant of the mode is quarantined, a payment that names no
 * account may be a push's. One that names an account has an item that is held back only in two cases (C2B-22): the
 * account's own merchant is quarantined, or an operator used the receipt. The claims of receipts in the records
 * (C2B-4) find any other item.
 */
export async function receiptStanding(
  database: Queryable,
  mode: Mode,
  { receipt, accountNo, code }: ReportedPayment,
): Promise<ReceiptStanding> {
  const mayBePushed = accountNo === undefined || code !== undefined;
  const values = [mode, receipt, accountNo ?? null, mayBePushed];
  const [row] = await database.query<{ isKnown: boolean; isHeldBack: boolean }>(select, values);
  if (row?.isKnown === true) return 'known';
  return row?.isHeldBack === false ? 'new' : 'held_back';
}
