import { type Fault } from '#adapters/audit';

/** A fault, and those of its kind that are not shown for themselves. */
export interface Folded {
  readonly fault: Fault;
  readonly others: number;
}

/** What is changed in one of them shows in those behind it: the log first, sums of sums last. */
const order = [
  'events',
  'audit_tiles',
  'heads',
  'ledger_entries',
  'ledger_sections',
  'balances',
] as const satisfies readonly Fault['in'][];

/** Two changed events are two causes: so many of a kind are shown one by one, if they are of the first place. */
const shownCauses = 5;

/**
 * The cause first: the faults of the first place in which there are any, the earliest first, and then one fault for each
 * kind of those that may follow from it.
 */
export function causesOf(faults: readonly Fault[]): readonly Folded[] {
  const sorted = faults.toSorted(
    (one, other) =>
      order.indexOf(one.in) - order.indexOf(other.in) ||
      // Two that have no position are infinitely far, both: their difference is no number.
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

/** True if it stands where the first fault does, and is no consequence of one elsewhere. */
export function isCause({ fault }: Folded, folded: readonly Folded[]): boolean {
  return fault.in === folded[0]?.fault.in;
}

function positionOf({ position }: Fault): number {
  return position === undefined ? Infinity : Number(position);
}

/** The same words about another number, hash or name are the same kind. */
function kindOf({ in: where, tells }: Fault): string {
  return `${where}: ${tells.replaceAll(/\S*\d\S*/g, '#')}`;
}
