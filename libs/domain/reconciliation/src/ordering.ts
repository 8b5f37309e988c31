import { absolute } from './finding.js';
import { isHere, type LedgerItem, type StatementLine } from './statement.js';

/** Orders lines by their contents, never by their place in the file, because a file's order means nothing (REC-8). */
export function byContent(one: StatementLine, other: StatementLine): number {
  return (
    asNumber(other.ofDay) - asNumber(one.ofDay) ||
    one.atMs - other.atMs ||
    compared(one.receipt, other.receipt) ||
    compared(one.amountMinor, other.amountMinor) ||
    compared(one.code ?? '', other.code ?? '') ||
    compared(one.party ?? '', other.party ?? '') ||
    compared(one.linkedReceipt ?? '', other.linkedReceipt ?? '')
  );
}

/**
 * Orders items: own items first, then those whose money is here, then those of the line's amount, then those of its
 * code.
 */
export function byFitness(line: StatementLine): (one: LedgerItem, other: LedgerItem) => number {
  const rank = (item: LedgerItem): number =>
    (item.whose === 'own' ? 0 : 8) +
    (isHere(item) ? 0 : 4) +
    (absolute(line.amountMinor) === absolute(item.amountMinor) ? 0 : 2) +
    (isOfOtherCode(line, item) ? 1 : 0);
  return (one, other) => rank(one) - rank(other) || compared(one.id, other.id);
}

export function isOfOtherCode(line: StatementLine, item: LedgerItem): boolean {
  return line.code !== undefined && line.code !== item.code;
}

export function compared<T extends string | bigint>(one: T, other: T): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

export function asNumber(flag: boolean): number {
  return flag ? 1 : 0;
}
