import { type Minor } from '#domain/kernel';

/**
 * Reads an amount of shillings with at most two decimals, which Daraja itself does not allow.
 * @returns cents, or undefined if the text is no such amount
 */
export function minorFromShillings(text: string): Minor | undefined {
  const match = /^(\d{1,9})(?:\.(\d{1,2}))?$/.exec(text);
  if (match === null) return undefined;
  return BigInt(match[1] ?? '') * 100n + BigInt((match[2] ?? '').padEnd(2, '0'));
}

/** Writes an amount as shillings with exactly two decimals: 25000n is `250.00`. Amounts here are never negative. */
export function shillingsFromMinor(amount: Minor): string {
  const digits = amount.toString().padStart(3, '0');
  return `${digits.slice(0, -2)}.${digits.slice(-2)}`;
}
