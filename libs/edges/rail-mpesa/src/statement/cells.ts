import { type LineKind } from '#domain/reconciliation';
import { type Minor } from '#domain/kernel';
import { maskPhone, parsePhone } from '#shared/signing';
import { msOfEastAfricaTime } from '../daraja/notation.js';

/** A time in a statement, and the order of its date's parts. */
export interface PortalTime {
  readonly atMs: number;
  readonly order: 'year_first' | 'day_first';
  /** The time of a day-first date if it is read with the month first; absent if it cannot be read so. */
  readonly monthFirstMs?: number;
}

const yearFirst =
  /^(?<year>\d{4})[-/](?<month>\d{1,2})[-/](?<day>\d{1,2})[ T](?<time>\d{1,2}:\d{2}(?::\d{2}(?:\.0+)?)?)$/;
const dayFirst =
  /^(?<day>\d{1,2})[-/](?<month>\d{1,2})[-/](?<year>\d{4})[ T](?<time>\d{1,2}:\d{2}(?::\d{2}(?:\.0+)?)?)$/;

/** @returns undefined if it is no time in either order; `month_first` if that is the only possible order */
export function portalTime(text: string): PortalTime | 'month_first' | undefined {
  const { year = '', month = '', day = '', time = '' } = yearFirst.exec(text)?.groups ?? {};
  if (year !== '') {
    const atMs = instantOf(year, month, day, time);
    return atMs === undefined ? undefined : { atMs, order: 'year_first' };
  }
  const found = dayFirst.exec(text)?.groups;
  if (!found) return undefined;
  const { year: y = '', month: second = '', day: first = '', time: at = '' } = found;
  const atMs = instantOf(y, second, first, at);
  const monthFirstMs = instantOf(y, first, second, at);
  if (atMs === undefined) return monthFirstMs === undefined ? undefined : 'month_first';
  return { atMs, order: 'day_first', ...(monthFirstMs === undefined ? {} : { monthFirstMs }) };
}

function instantOf(year: string, month: string, day: string, time: string): number | undefined {
  const [hour = '', minute = '', second = '00'] = time.split(':');
  return msOfEastAfricaTime([year, month, day, hour, minute, second]);
}

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
/** Words of money that leaves for a bank, from another account than that for settlements. */
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

/**
 * True if the text can be a code of ours. Customers may type anything as an account, even a phone number, so only such
 * codes are stored.
 */
export function isCode(text: string): boolean {
  return /^[A-Z0-9]{12}$/.test(text) && !/^(?:254|0)?[17]\d{8}$/.test(text);
}

const maskedNumber = /^(?:254|0) ?([17])\d{0,2} ?[*xX]{3,8} ?(\d{3})\b/;

/** Returns the mask of the number at the start, whatever its form: no number is stored (REC-12). */
export function partyOf(text: string): string | undefined {
  const trimmed = text.trim();
  const [first = ''] = trimmed.split(/[\s-]/, 1);
  const phone = parsePhone(first);
  if (phone !== undefined) return maskPhone(phone);
  const [, prefix = '', last = ''] = maskedNumber.exec(trimmed) ?? [];
  return prefix === '' ? undefined : maskPhone(`254${prefix}${last}`);
}

/** Returns the mask of a cell that contains only a number, which may lack its country code and have spaces. */
export function partyOfNumber(text: string): string | undefined {
  const bare = text.replace(/[\s+-]/g, '');
  return partyOf(/^[17](?:\d{8}|\d{0,2}[*xX]{3,8}\d{3})$/.test(bare) ? `254${bare}` : bare);
}
