import { randomInt } from 'node:crypto';
import { nairobiDigits } from './nairobi-time.js';

const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ';

/** The kinds of movements: a payment, a payout, a refund, and a settlement to the bank. */
export type MoneyKind = 'MP' | 'CI' | 'RF' | 'ST';

/**
 * Returns Airtel's own id of a movement: `MP261129.1430.L06941`, with day and minute in Nairobi. Two of them may be
 * equal, so the memory checks.
 */
export function newMoneyId(kind: MoneyKind, atMs: number): string {
  const digits = nairobiDigits(atMs);
  const last = letters.charAt(randomInt(26)) + randomInt(1e5).toString().padStart(5, '0');
  return `${kind}${digits.slice(2, 8)}.${digits.slice(8, 12)}.${last}`;
}
