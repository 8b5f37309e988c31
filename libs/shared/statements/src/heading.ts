import { type Instant, type Minor } from '#domain/kernel';

/** The heading of a statement, above its entries. */
export interface Heading {
  /** The issuer. */
  readonly service: string;
  readonly merchant: string;
  readonly merchantId: string;
  readonly mode: 'live' | 'demo';
  readonly accountNo: string;
  readonly currency: string;
  readonly timezone: string;
  /** First and last day, YYYY-MM-DD, in the zone. */
  readonly from: string;
  readonly to: string;
  /** The instant at which the first day begins. */
  readonly begins: Instant;
  /**
   * The end of the last day or, if it is not over, the time of its newest entry. It is also the statement's own time,
   * so that the same days give the same text.
   */
  readonly ends: Instant;
  /** True if the last day is over. Until then the closing balance is an interim one, and may change. */
  readonly isOver: boolean;
  /** Positions of the log: the entries are after the first, up to and including the second. */
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

/** A cache, because looking one up costs more than writing an amount. */
const known = new Map<string, number>();

/** Returns how many decimals a currency has, two by default. */
function decimalsOf(currency: string): number {
  const found = known.get(currency);
  if (found !== undefined) return found;
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  const { maximumFractionDigits: decimals = 2 } = format.resolvedOptions();
  known.set(currency, decimals);
  return decimals;
}

/** Returns the amount as a decimal of its currency, by text: `-12.50`. */
export function amountText(minor: Minor, currency: string): string {
  const decimals = decimalsOf(currency);
  const sign = minor < 0n ? '-' : '';
  const digits = (minor < 0n ? -minor : minor).toString().padStart(decimals + 1, '0');
  if (decimals === 0) return `${sign}${digits}`;
  return `${sign}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}
