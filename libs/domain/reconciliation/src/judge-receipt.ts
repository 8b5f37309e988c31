import { type Finding } from './finding.js';
import { isHere, type LedgerItem, type StatementLine } from './statement.js';
import {
  anotherPayment,
  differs,
  fits,
  isTakenBack,
  outside,
  pair,
  unposted,
} from './line-findings.js';
import { asNumber, byContent, byFitness, compared, isOfOtherCode } from './ordering.js';

/** The findings of a receipt, and its lines that no item explains. */
export interface ReceiptJudgement {
  readonly findings: readonly Finding[];
  readonly remaining: readonly StatementLine[];
}

/**
 * Judges the lines with one receipt, all of which are movements (REC-4, REC-7).
 * @param candidates every item for which the rail ever reported that receipt
 */
export function judgeReceipt(
  lines: readonly StatementLine[],
  candidates: readonly LedgerItem[],
): ReceiptJudgement {
  const findings: Finding[] = [];
  const remaining: StatementLine[] = [];
  const taken = new Set<LedgerItem | undefined>();
  for (const kind of ['payment_in', 'payment_out', 'reversal', 'withdrawal'] as const) {
    const [first, ...again] = lines.filter((line) => line.kind === kind).toSorted(byContent);
    if (!first) continue;
    findings.push(...again.map(repeated));
    const fitting = candidates.filter((item) => fits(first, item) && !taken.has(item));
    const [bearer, ...others] = fitting
      .filter(({ receipt }) => receipt === first.receipt)
      .toSorted(byClaim(first));
    const [second] = fitting.toSorted(byFitness(first));
    if (bearer) {
      findings.push(pair(first, bearer, 'receipt'), ...others.flatMap(alsoHere));
    } else if (second) findings.push(anotherPayment(first, second));
    else if (kind === 'withdrawal') findings.push(unposted(first));
    else remaining.push(first);
    for (const { item } of findings) taken.add(item);
  }
  return { findings, remaining };
}

function repeated(line: StatementLine): Finding {
  return line.ofDay ? { name: 'duplicate_there', line } : outside(line);
}

function alsoHere(item: LedgerItem): readonly Finding[] {
  if (item.whose !== 'own' || !isHere(item)) return [];
  return [{ name: isTakenBack(item) ? 'refunded' : 'duplicate_here', item }];
}

/**
 * Orders the items with the line's receipt: the one that holds its money comes first. If several hold it, the order is
 * the same for each merchant that reconciles: the others were posted once more (REC-7).
 */
function byClaim(line: StatementLine): (one: LedgerItem, other: LedgerItem) => number {
  const holds = (item: LedgerItem): boolean => isHere(item) && !isTakenBack(item);
  const rank = (item: LedgerItem): number =>
    (differs(line, item) ? 2 : 0) + (isOfOtherCode(line, item) ? 1 : 0);
  const byFit = byFitness(line);
  return (one, other) => {
    if (!holds(one) || !holds(other))
      return asNumber(holds(other)) - asNumber(holds(one)) || byFit(one, other);
    return rank(one) - rank(other) || compared(one.id, other.id);
  };
}
