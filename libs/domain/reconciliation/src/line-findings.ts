import { type Finding, type MatchedBy } from './finding.js';
import {
  excludedKinds,
  isHere,
  isMovement,
  type LedgerItem,
  type StatementLine,
} from './statement.js';

/** The finding of a line that is not about the ledger's money (REC-3); undefined for a line that must be judged. */
export function excludedFinding(line: StatementLine): Finding | undefined {
  if (!line.ofDay && !isMovement(line)) return { name: 'outside_day', line };
  if (!line.completed) return { name: 'not_completed', line };
  const name = excludedKinds.find((excluded) => excluded === line.kind);
  return name && { name, line };
}

/** The finding of a line and the item that it pays. */
export function pair(line: StatementLine, item: LedgerItem, by: MatchedBy): Finding {
  if (item.whose !== 'own') return line.ofDay ? { name: item.whose, line } : outside(line);
  if (!isHere(item))
    return line.ofDay ? { name: 'missing_here', line, about: item, by } : outside(line);
  if (!line.ofDay && !item.ofDay) return outside(line);
  if (differs(line, item)) return { name: 'amount_differs', line, item, by };
  if (item.state === 'returned') return { name: 'not_sent_back', line, item, by };
  if (item.state === 'held') return { name: 'in_suspense', line, item, by };
  // A correction is posted when people decide it, so its own day does not count.
  const isOneDay = line.ofDay && (item.ofDay || item.type === 'correction');
  return { name: isOneDay ? 'matched' : 'other_day', line, item, by };
}

/** The finding of a withdrawal that no correction posted (SWEEP-4). */
export function unposted(line: StatementLine): Finding {
  return line.ofDay ? { name: 'withdrawal', line } : outside(line);
}

/** The finding of a line about an item that has another line of its own, or several lines of the same code. */
export function anotherPayment(line: StatementLine, item: LedgerItem): Finding {
  if (!line.ofDay) return outside(line);
  return item.whose === 'own'
    ? { name: 'paid_twice', line, about: item }
    : { name: item.whose, line };
}

export function missing(line: StatementLine): Finding {
  return line.ofDay ? { name: 'missing_here', line } : outside(line);
}

export function outside(line: StatementLine): Finding {
  return { name: 'outside_day', line };
}

/** True if the ledger has none of the item's money any more: it left suspense, or corrections took all of it. */
export function isTakenBack({ amountMinor, state }: LedgerItem): boolean {
  return amountMinor === 0n || state === 'returned';
}

/** True if a line of this kind can be about the item. */
export function fits(
  { kind, amountMinor: lineMinor }: StatementLine,
  { type, amountMinor, reverses }: LedgerItem,
): boolean {
  switch (type) {
    case 'collection':
      return kind === 'payment_in';
    case 'payout':
      // A refund goes out as the reversal of a payment that came in (REF-9).
      return kind === (reverses === undefined ? 'payment_out' : 'reversal');
    case 'correction':
      // A reversal of a payout comes in. A correction that was taken back has no direction, but keeps its receipt.
      return lineMinor > 0n ? amountMinor >= 0n : amountMinor <= 0n;
  }
}

/**
 * True if the amounts differ. They are signed: if corrections took an amount back twice, it is the rail's amount with
 * the other sign.
 */
export function differs(line: StatementLine, item: LedgerItem): boolean {
  return line.amountMinor !== item.amountMinor;
}
