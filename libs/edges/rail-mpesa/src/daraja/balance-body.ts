import { type BalanceReport, type ReportedAccount } from '#edges/rails';
import { fromEastAfricaDigits } from './notation.js';
import { accountCells, signedShillings } from './result-body.js';

/** The account that sweeps go to on their way to the bank: the ledger counts its money as settled. */
const settlementAccount = /^organi[sz]ation settlement account$/i;

/**
 * Reads the balances of all accounts of a short code. An answer with an account that cannot be read is none: a sum
 * without it would be wrong.
 */
export function readBalances(bytes: Uint8Array): BalanceReport | undefined {
  const read = accountCells(bytes);
  if (!read) return undefined;
  const accounts: ReportedAccount[] = [];
  for (const [name = '', currency = '', current = ''] of read.cells) {
    const amountMinor = signedShillings(current);
    if (name === '' || !/^[A-Z]{3}$/.test(currency) || amountMinor === undefined) return undefined;
    accounts.push({ name, currency, amountMinor, isHeld: !settlementAccount.test(name) });
  }
  const asOf = fromEastAfricaDigits(read.time);
  return { accounts, ...(asOf === undefined ? {} : { asOf }) };
}
