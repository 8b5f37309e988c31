import { absolute, type Finding } from './finding.js';
import { maxApartMs } from './judge-rest.js';
import { compared } from './ordering.js';
import { isHere, type LedgerItem, type StatementLine } from './statement.js';

/** Only the first candidates of a line are named, because a person checks them one by one. */
export const maxCandidates = 5;

/**
 * Returns true if the line moved money that no known item has. Without candidates its next step posts it to suspense.
 */
export function isUnowned({ name, line, about }: Finding): boolean {
  return name === 'missing_here' && line !== undefined && about === undefined;
}

/**
 * Names the items that may explain lines without an owner, before a report calls them unrequested (REC-30).
 * @param findings the findings after all matches
 * @param items without a receipt, of any merchant, that no line pays
 */
export function withCandidates(
  findings: readonly Finding[],
  items: readonly LedgerItem[],
): readonly Finding[] {
  if (items.length === 0) return findings;
  const byAmount = Map.groupBy(items, ({ amountMinor }) => absolute(amountMinor));
  const claimed = new Set<string>();
  const named = findings.map((finding) => {
    const { line } = finding;
    if (!line || !isUnowned(finding)) return finding;
    const explaining = (byAmount.get(absolute(line.amountMinor)) ?? [])
      .filter((item) => mayExplain(line, item))
      .toSorted(byDistance(line));
    for (const { id } of explaining) claimed.add(id);
    const own = explaining.filter(({ whose }) => whose !== 'other_merchant');
    return {
      ...finding,
      ...(own.length > 0 && { candidates: own.slice(0, maxCandidates) }),
      ...(explaining.length > own.length && { mayBeOthers: true as const }),
    };
  });
  return named.map((finding) =>
    finding.name === 'missing_there' && finding.item && claimed.has(finding.item.id)
      ? { ...finding, mayBeShown: true as const }
      : finding,
  );
}

/** True if the line may be the item's own payment. For a reversal: if it may be the payment that was reversed. */
function mayExplain(line: StatementLine, item: LedgerItem): boolean {
  const sign = line.kind === 'reversal' ? -1n : 1n;
  if (item.type === 'correction' || item.receipt !== undefined) return false;
  if (item.amountMinor !== sign * line.amountMinor || item.state === 'returned') return false;
  // A payment never precedes its push or order, but the clocks differ.
  if (item.atMs > line.atMs + maxApartMs) return false;
  if (line.party !== undefined && item.party !== undefined) return line.party === item.party;
  // By amount alone a line could match any item that ended without money, so only open or posted items count.
  return isHere(item) || item.state === 'pending';
}

function byDistance(line: StatementLine): (one: LedgerItem, other: LedgerItem) => number {
  const rank = (item: LedgerItem): number => (isHere(item) || item.state === 'pending' ? 0 : 1);
  const apart = ({ atMs }: LedgerItem): number => Math.abs(line.atMs - atMs);
  return (one, other) =>
    rank(one) - rank(other) || apart(one) - apart(other) || compared(one.id, other.id);
}
