import { type Minor } from '#domain/kernel';

/** One way to write each number: no sign, no leading zero, no exponent, at most two decimals, ASCII digits. */
const canonical = /^(0|[1-9][0-9]{0,12})(?:\.([0-9]{1,2}))?$/;

/**
 * V3's amount, a decimal text, in minor units; by text, never by floating point.
 * @returns undefined where it is not in canonical form (contract/decisions.md §5)
 */
export function minorFromDecimal(text: string): Minor | undefined {
  const match = canonical.exec(text);
  if (!match) return undefined;
  const [, whole = '', decimals = ''] = match;
  return BigInt(whole + decimals.padEnd(2, '0'));
}

/** The same amount with two decimals: `1250.00` of 125000. */
export function decimalFromMinor(minor: Minor): string {
  const digits = minor.toString().padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
