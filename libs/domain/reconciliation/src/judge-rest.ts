import { type Finding } from './finding.js';
import { isHere, type LedgerItem, type StatementLine } from './statement.js';
import { anotherPayment, differs, fits, isTakenBack, missing, pair } from './line-findings.js';
import { asNumber, byContent, byFitness, compared } from './ordering.js';
import { type Paid, Reversals } from './reversals.js';

/** The most that the rail's time and ours may differ if a payment is matched by amount and party only. */
export const maxApartMs = 15 * 60_000;

/**
 * Judges the lines and items that no receipt matched: by the code that the rail was given, then by amount, party and
 * time. The latter needs exactly one item that fits (REC-4).
 * @param ofDay the day's own items whose receipts are on no line
 * @param others the other candidates: own items that are not settled, any merchant's money without a receipt, and items
 * with a code of the lines or with the receipt that a reversal names
 */
export function judgeRest(
  lines: readonly StatementLine[],
  ofDay: readonly LedgerItem[],
  others: readonly LedgerItem[],
): readonly Finding[] {
  const rest = new Rest([...ofDay, ...others]);
  const unnamed = rest.byCode(lines);
  const unknown = rest.byAmount(unnamed);
  const unmatched = rest.unmatched(unknown);
  return [...rest.findings, ...unmatched, ...rest.untaken(ofDay)];
}

class Rest {
  readonly findings: Finding[] = [];
  readonly #taken = new Set<LedgerItem>();
  /** The item that a line pays, by the line's receipt, if the ledger does not know the receipt. */
  readonly #paidBy = new Map<string, Paid>();
  #sentBack: ReadonlySet<LedgerItem> = new Set();

  constructor(private readonly items: readonly LedgerItem[]) {}

  /** @returns the lines whose code no item has */
  byCode(lines: readonly StatementLine[]): readonly StatementLine[] {
    const bearers = Map.groupBy(this.items, ({ code }) => code);
    const unnamed: StatementLine[] = lines.filter(
      ({ code }) => code === undefined || !bearers.has(code),
    );
    for (const [code, found] of Map.groupBy(lines, (line) => line.code)) {
      if (code === undefined) continue;
      for (const kind of ['payment_in', 'payment_out', 'reversal'] as const) {
        const ofKind = found.filter((line) => line.kind === kind);
        const [first] = ofKind.toSorted(byContent);
        if (!first) continue;
        const fitting = (bearers.get(code) ?? []).filter((item) => fits(first, item));
        const [item] = fitting.toSorted(byFitness(first));
        if (item) this.#ofItem(ofKind, item);
        else if (bearers.has(code)) for (const line of ofKind) unnamed.push(line);
      }
    }
    return unnamed;
  }

  /** The line that fits best is the item's own, unless a receipt already matched one. */
  #ofItem(lines: readonly StatementLine[], item: LedgerItem): void {
    const sorted = lines.toSorted(
      (one, other) =>
        asNumber(differs(one, item)) - asNumber(differs(other, item)) || byContent(one, other),
    );
    const isPaid = isHere(item) && item.receipt !== undefined;
    for (const [index, line] of sorted.entries()) {
      const isAnother = isPaid || index > 0;
      this.#notePaid(line, { item, isAnother });
      if (isAnother) this.findings.push(anotherPayment(line, item));
      else {
        this.#taken.add(item);
        this.findings.push(pair(line, item, 'code'));
      }
    }
  }

  /** @returns the lines that match no item */
  byAmount(lines: readonly StatementLine[]): readonly StatementLine[] {
    const free = this.items.filter(
      (item) => isPayable(item) && item.receipt === undefined && !this.#taken.has(item),
    );
    // Sorted by time, because a file may have a hundred thousand lines of one amount and party.
    const itemsByKey = Map.groupBy(free.toSorted(byTime), amountKey);
    const linesByKey = Map.groupBy(lines.toSorted(byTime), amountKey);
    return lines.filter((line) => {
      const key = amountKey(line);
      if (key === undefined) return true;
      const [item, ...more] = twoNear(itemsByKey.get(key) ?? [], line);
      if (!item || more.length > 0) return true;
      const rivals = twoNear(linesByKey.get(key) ?? [], item);
      if (rivals.length > 1 || !fits(line, item)) return true;
      this.#taken.add(item);
      this.#notePaid(line, { item, isAnother: false });
      this.findings.push(pair(line, item, 'amount'));
      return false;
    });
  }

  /** If the lines of one receipt pay two items, in and out, the file's order must not decide between them (REC-8). */
  #notePaid({ receipt }: StatementLine, paid: Paid): void {
    const before = this.#paidBy.get(receipt);
    if (!before || compared(paid.item.id, before.item.id) < 0) this.#paidBy.set(receipt, paid);
  }

  /**
   * The findings of lines that match no item. The file's order must not decide between two reversals of one item
   * (REC-8).
   */
  unmatched(lines: readonly StatementLine[]): readonly Finding[] {
    const reversals = new Reversals(this.items, this.#paidBy);
    this.#sentBack = reversals.sentBack;
    return lines
      .toSorted(byContent)
      .map((line) => (line.kind === 'reversal' ? reversals.judge(line) : missing(line)));
  }

  /** The findings of the day's own items that no line matched. */
  untaken(ofDay: readonly LedgerItem[]): readonly Finding[] {
    return ofDay
      .filter((item) => !this.#taken.has(item))
      .map((item) => ({ name: nameAlone(item, this.#sentBack.has(item)), item }));
  }
}

/**
 * True if a line may be the item's by amount, number and time. Another merchant's item counts only while its money is
 * here. A payout that never went to the rail can only be a candidate (REC-30).
 */
function isPayable(item: LedgerItem): boolean {
  if (isHere(item)) return true;
  return item.whose === 'own' && (item.type !== 'payout' || item.isGiven === true);
}

/** @param isSentBack true if its return is on the statement: then its arrival should be there too, and is missing */
function nameAlone(item: LedgerItem, isSentBack: boolean): Finding['name'] {
  if (isTakenBack(item) && !isSentBack) return 'refunded';
  return item.reconciledOn === undefined ? 'missing_there' : 'other_day';
}

/** Undefined if the party is not known. */
function amountKey({
  amountMinor,
  party,
}: Pick<StatementLine, 'amountMinor' | 'party'>): string | undefined {
  return party === undefined ? undefined : `${amountMinor} ${party}`;
}

interface Timed {
  readonly atMs: number;
}

function byTime(one: Timed, other: Timed): number {
  return one.atMs - other.atMs;
}

/**
 * @param sorted by time
 * @returns the items near in time, at most two, because two are already ambiguous
 */
function twoNear<T extends Timed>(sorted: readonly T[], { atMs }: Timed): readonly T[] {
  let [first, end] = [0, sorted.length];
  while (first < end) {
    const middle = Math.floor((first + end) / 2);
    if ((sorted[middle]?.atMs ?? 0) < atMs - maxApartMs) first = middle + 1;
    else end = middle;
  }
  return sorted.slice(first, first + 2).filter((each) => each.atMs <= atMs + maxApartMs);
}
