import { type LineKind } from '#domain/reconciliation';
import { type Minor } from '#domain/kernel';
import { maskPhone, parsePhone } from '#shared/signing';
import { msOfEastAfricaTime } from '../daraja/notation.js';

/** A time as a statement writes it, and what its order of day and month may be. */
export interface PortalTime {
  readonly atMs: number;
  readonly order: 'year_first' | 'day_first';
  /** Of a day-first date: what it would mean with the month first; absent where it can not be read so. */
  readonly monthFirstMs?: number;
}

const yearFirst =
  /^(?<year>\d{4})[-/](?<month>\d{1,2})[-/](?<day>\d{1,2})[ T](?<time>\d{1,2}:\d{2}(?::\d{2}(?:\.0+)?)?)$/;
const dayFirst =
  /^(?<day>\d{1,2})[-/](?<month>\d{1,2})[-/](?<year>\d{4})[ T](?<time>\d{1,2}:\d{2}(?::\d{2}(?:\.0+)?)?)$/;

/** @returns undefined where it is no time of either order; `month_first` where it can be read so alone */
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
 * Where the portal's own words end in the details: before a number, a name, and what a customer typed as the account. Its
 * own accounts, and a bank with nothing behind it, are its own words.
 */
const notPortals =
  /\d{3}|\s-\s|\bacc\b|(?<=\b(?:from|to|by)\b)(?!\s+(?:(?:utility|working|merchant|mmf|charges paid)\s+account\b|organi[sz]ation\b|(?:own\s+)?bank\s*$))/i;

/** Between the organisation's own accounts at M-Pesa, and between them and its bank. */
const ownTransfers = [
  /\bsettlement\b|\bfunds transfer\b|\binter-?account\b|\bbetween own accounts\b/i,
  /\b(?:utility|working|merchant|mmf|charges paid|m-pesa) account (?:to|from)\b/i,
  /\b(?:from|to) (?:utility|working|merchant|mmf|charges paid) account\b/i,
  /\b(?:merchant|organi[sz]ation) to organi[sz]ation\b|\borgani[sz]ation to (?:merchant|bank)\b/i,
  /\borgani[sz]ation (?:withdrawal|deposit)\b|\b(?:withdrawal|transfer) to (?:own )?bank\b/i,
];

/** What a row is by its reason and, where it has none, by the portal's words in its details. Other money is a payment. */
export function kindOf(reason: string, details: string, amountMinor: Minor): LineKind {
  const [leading = ''] = details.split(notPortals, 1);
  const words = reason === '' ? leading : reason;
  if (/\brevers/i.test(words)) return 'reversal';
  // What comes in is no charge, whatever it is called.
  if (amountMinor < 0n && /\bcharges?\b|\bfees?\b|\btariff\b/i.test(words)) return 'charge';
  if (ownTransfers.some((pattern) => pattern.test(words))) return 'transfer';
  return amountMinor < 0n ? 'payment_out' : 'payment_in';
}

const receiptPattern = /^[A-Z0-9]{6,20}$/;

/** In capitals, as the rail prints it; undefined where it is none. */
export function receiptOf(text: string): string | undefined {
  const receipt = text.toUpperCase();
  return receiptPattern.test(receipt) ? receipt : undefined;
}

/** What customers type as an account may be anything, a phone number too: only what can be a code of ours is kept. */
export function isCode(text: string): boolean {
  return /^[A-Z0-9]{12}$/.test(text) && !/^(?:254|0)?[17]\d{8}$/.test(text);
}

const maskedNumber = /^(?:254|0) ?([17])\d{0,2} ?[*xX]{3,8} ?(\d{3})\b/;

/** The mask of the number that stands first, whatever form it has: no number is kept (REC-12). */
export function partyOf(text: string): string | undefined {
  const trimmed = text.trim();
  const [first = ''] = trimmed.split(/[\s-]/, 1);
  const phone = parsePhone(first);
  if (phone !== undefined) return maskPhone(phone);
  const [, prefix = '', last = ''] = maskedNumber.exec(trimmed) ?? [];
  return prefix === '' ? undefined : maskPhone(`254${prefix}${last}`);
}

/** The mask of a cell that holds a number and nothing else, which may lack its country code and have spaces. */
export function partyOfNumber(text: string): string | undefined {
  const bare = text.replace(/[\s+-]/g, '');
  return partyOf(/^[17](?:\d{8}|\d{0,2}[*xX]{3,8}\d{3})$/.test(bare) ? `254${bare}` : bare);
}
