import { type LineKind } from '#domain/reconciliation';
import { type Minor } from '#domain/kernel';

/**
 * Matches the end of the portal's own words in the details: a number, a name, or the text that a customer typed as the
 * account. Names of the portal's own accounts, and a bank with nothing after it, count as the portal's own words.
 */
const notPortals =
  /\d{3}|\s-\s|\bacc\b|(?<=\b(?:from|to|by)\b)(?!\s+(?:(?:utility|working|merchant|mmf|charges paid)\s+account\b|organi[sz]ation\b|(?:own\s+)?bank\s*$))/i;

/** Transfers between the organisation's own accounts at M-Pesa, and between them and its bank. */
const ownTransfers = [
  /\bsettlement\b|\bfunds transfer\b|\binter-?account\b|\bbetween own accounts\b/i,
  /\b(?:utility|working|merchant|mmf|charges paid|m-pesa) account (?:to|from)\b/i,
  /\b(?:from|to) (?:utility|working|merchant|mmf|charges paid) account\b/i,
  /\b(?:merchant|organi[sz]ation) to organi[sz]ation\b|\borgani[sz]ation to (?:merchant|bank)\b/i,
  /\borgani[sz]ation (?:withdrawal|deposit)\b|\b(?:withdrawal|transfer) to (?:own )?bank\b/i,
];

/** Words of the movement that takes collected money to the bank (SWEEP-1). */
const sweepWords = /^merchant(?: account)? to organi[sz]ation settlement(?: account)?$/i;
/** Words of a withdrawal to a bank, from an account other than the one for settlements. */
const withdrawalWords =
  /\borgani[sz]ation withdrawal\b|\b(?:withdrawal|transfer) to (?:own )?bank\b|\b(?:utility|working|merchant|mmf) account to (?:bank|organi[sz]ation settlement)\b/i;

/**
 * Returns a row's kind, by its reason or, if it has none, by the portal's words in its details. Any other money is a
 * payment.
 */
export function kindOf(reason: string, details: string, amountMinor: Minor): LineKind {
  const [leading = ''] = details.split(notPortals, 1);
  const words = reason === '' ? leading : reason;
  if (/\brevers/i.test(words)) return 'reversal';
  // Incoming money is no charge, whatever its name.
  if (amountMinor < 0n && /\bcharges?\b|\bfees?\b|\btariff\b/i.test(words)) return 'charge';
  if (ownTransfers.some((pattern) => pattern.test(words))) return transferKind(words, amountMinor);
  return amountMinor < 0n ? 'payment_out' : 'payment_in';
}

/** Only money that went out can be on its way to a bank. */
function transferKind(words: string, amountMinor: Minor): LineKind {
  if (amountMinor >= 0n) return 'transfer';
  if (sweepWords.test(words.trim())) return 'sweep';
  return withdrawalWords.test(words) ? 'withdrawal' : 'transfer';
}

const receiptPattern = /^[A-Z0-9]{6,20}$/;

/** Returns the receipt in capitals, as the rail prints it, or undefined if the text is none. */
export function receiptOf(text: string): string | undefined {
  const receipt = text.toUpperCase();
  return receiptPattern.test(receipt) ? receipt : undefined;
}
