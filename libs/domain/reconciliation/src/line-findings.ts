import { type Finding, type MatchedBy } from './finding.js';
import { isHere, isMovement, type LedgerItem, type StatementLine } from './statement.js';

/** The finding of a line that concerns no money of the ledger (REC-3); undefined for a line that must be judged. */
export function excludedFinding(line: StatementLine): Finding | undefined {
  if (!line.ofDay && !isMovement(line)) return { name: 'outside_day', line };
  if (!line.completed) return { name: 'not_completed', line };
  return line.kind === 'charge' || line.kind === 'transfer' ? { name: line.kind, line } : undefined;
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
  // A correction is posted whenever people decide it, so its own day does not count.
  const isOneDay = line.ofDay && (item.ofDay || item.type === 'correction');
  return { name: isOneDay ? 'matched' : 'other_day', line, item, by };
}

/** A line about an item that has another line of its own, or more than one of the same code. */
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

/** The ledger holds none of it any more: it left suspense, or corrections took it all. */
export function isTakenBack({ amountMinor, state }: LedgerItem): boolean {
  return amountMinor === 0n || state === 'returned';
}

/** Whether a line of this kind can be about the item. */
export function fits(
  { kind, amountMinor: lineMinor }: StatementLine,
  { type, amountMinor }: LedgerItem,
): boolean {
  switch (type) {
    case 'collection':
      return kind === 'payment_in';
    case 'payout':
      return kind === 'payment_out';
    case 'correction':
      // A reversal of a payout comes in. A correction that was taken back has no direction, but keeps its receipt.
      return lineMinor > 0n ? amountMinor >= 0n : amountMinor <= 0n;
  }
}

/** Amounts are signed: what corrections took back twice has the rail's amount with the other sign. */
export function differs(line: StatementLine, item: LedgerItem): boolean {
  return line.amountMinor !== item.amountMinor;
}
