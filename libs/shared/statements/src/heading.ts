import { type Instant, type Minor } from '#domain/kernel';

/** What stands above a statement's entries. */
export interface Heading {
  /** Who issues it. */
  readonly service: string;
  readonly merchant: string;
  readonly merchantId: string;
  readonly mode: 'live' | 'demo';
  readonly accountNo: string;
  readonly currency: string;
  readonly timezone: string;
  /** First and last day, YYYY-MM-DD, of the zone. */
  readonly from: string;
  readonly to: string;
  /** The instant at which the first day begins. */
  readonly begins: Instant;
  /**
   * At which the last day ends; where it is not over, the moment of its newest entry. The statement's own time, too: the
   * same days give the same text.
   */
  readonly ends: Instant;
  /** Whether the last day is over: until then the closing balance is that of a moment, and may change. */
  readonly isOver: boolean;
  /** Of the log: entries stand behind the one, up to and with the other. */
  readonly after: bigint;
  readonly upTo: bigint;
  readonly openingMinor: Minor;
  readonly closingMinor: Minor;
  readonly entries: bigint;
  readonly creditsMinor: Minor;
  readonly debitsMinor: Minor;
}

/** An entry, as `#views/statements` reads it. */
export interface Line {
  readonly position: bigint;
  readonly eventId: string;
  readonly recordedAt: Instant;
  readonly day: string;
  readonly kind: 'collection' | 'payout' | 'correction';
  readonly reference: string;
  readonly description: string;
  readonly receipt: string | null;
  readonly grossMinor: Minor | null;
  readonly feeMinor: Minor | null;
  readonly amountMinor: Minor;
  readonly balanceMinor: Minor;
}

/** Looking one up costs more than writing an amount. */
const known = new Map<string, number>();

/** How many decimals a currency has: two unless it says otherwise. */
function decimalsOf(currency: string): number {
  const found = known.get(currency);
  if (found !== undefined) return found;
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  const { maximumFractionDigits: decimals = 2 } = format.resolvedOptions();
  known.set(currency, decimals);
  return decimals;
}

/** The amount as a decimal of its currency, by text: `-12.50`. */
export function amountText(minor: Minor, currency: string): string {
  const decimals = decimalsOf(currency);
  const sign = minor < 0n ? '-' : '';
  const digits = (minor < 0n ? -minor : minor).toString().padStart(decimals + 1, '0');
  if (decimals === 0) return `${sign}${digits}`;
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
