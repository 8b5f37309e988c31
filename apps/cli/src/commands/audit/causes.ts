import { type Fault } from '#adapters/audit';

/** A fault, and the number of further faults of its kind that are not shown. */
export interface Folded {
  readonly fault: Fault;
  readonly others: number;
}

/** Places in the order in which a change in one shows in the next: the log first, sums of sums last. */
const order = [
  'events',
  'audit_tiles',
  'heads',
  'ledger_entries',
  'ledger_sections',
  'balances',
] as const satisfies readonly Fault['in'][];

/** Most faults of one kind in the first place that are shown one by one: two changed events are two causes. */
const shownCauses = 5;

/**
 * Orders faults by cause: first those of the first place that has any, by position, and then one fault for each kind of
 * those that may follow from it.
 */
export function causesOf(faults: readonly Fault[]): readonly Folded[] {
  const sorted = faults.toSorted(
    (one, other) =>
      order.indexOf(one.in) - order.indexOf(other.in) ||
      // Both positions may be infinite, and the difference of two infinities is not a number.
      positionOf(one) - positionOf(other) ||
      0,
  );
  const first = sorted[0]?.in;
  const kinds = new Map<string, Fault[]>();
  for (const fault of sorted) {
    const kind = kindOf(fault);
    kinds.set(kind, [...(kinds.get(kind) ?? []), fault]);
  }
  return [...kinds.values()].flatMap((ofKind) => {
    const shown = ofKind.slice(0, ofKind[0]?.in === first ? shownCauses : 1);
    const others = ofKind.length - shown.length;
    return shown.map((fault, index) => ({
      fault,
      others: index === shown.length - 1 ? others : 0,
    }));
  });
}

/** True if the fault is in the same place as the first one, and does not follow from a fault elsewhere. */
export function isCause({ fault }: Folded, folded: readonly Folded[]): boolean {
  return fault.in === folded[0]?.fault.in;
}

function positionOf({ position }: Fault): number {
  return position === undefined ? Infinity : Number(position);
}

/** Faults whose texts differ only in numbers, hashes or names are of one kind. */
function kindOf({ in: where, tells }: Fault): string {
  return `${where}: ${tells.replaceAll(/\S*\d\S*/g, '#')}`;
}
