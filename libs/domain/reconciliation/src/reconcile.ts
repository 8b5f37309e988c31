import { absolute, type Finding, type MatchedBy } from './finding.js';
import { isHere, isMovement, type LedgerItem, type StatementLine } from './statement.js';

/** How far the rail's clock and ours may be apart where a payment is known by its amount and party alone. */
export const maxApartMs = 15 * 60_000;

/** What a line is that tells of no money of the ledger; undefined: it is judged (REC-3). */
export function excludedFinding(line: StatementLine): Finding | undefined {
  if (!line.ofDay && !isMovement(line)) return { name: 'outside_day', line };
  if (!line.completed) return { name: 'not_completed', line };
  return line.kind === 'charge' || line.kind === 'transfer' ? { name: line.kind, line } : undefined;
}

/** What a receipt comes to, and the lines of which no item bears it. */
export interface ReceiptJudgement {
  readonly findings: readonly Finding[];
  readonly left: readonly StatementLine[];
}

/**
 * Judges the lines that bear one receipt, all of them movements (REC-4, REC-7).
 * @param candidates every item for which the rail ever told that receipt
 */
export function judgeReceipt(
  lines: readonly StatementLine[],
  candidates: readonly LedgerItem[],
): ReceiptJudgement {
  const findings: Finding[] = [];
  const left: StatementLine[] = [];
  const taken = new Set<LedgerItem | undefined>();
  for (const kind of ['payment_in', 'payment_out', 'reversal'] as const) {
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
    else left.push(first);
    for (const { item } of findings) taken.add(item);
  }
  return { findings, left };
}

/**
 * Judges what no receipt brought together: by the code that the rail was given, then by amount, party and time, and
 * only where that leaves no choice (REC-4).
 * @param ofDay the day's own items whose receipts no line bears
 * @param others what else may be meant: own items that are not settled, whosever money that has no receipt, and whatever
 *   bears one of the lines' codes or what a reversal names
 */
export function judgeRest(
  lines: readonly StatementLine[],
  ofDay: readonly LedgerItem[],
  others: readonly LedgerItem[],
): readonly Finding[] {
  const rest = new Rest([...ofDay, ...others]);
  const unnamed = rest.byCode(lines);
  const unknown = rest.byAmount(unnamed);
  const left = rest.left(unknown);
  return [...rest.findings, ...left, ...rest.untaken(ofDay)];
}

/**
 * Decides on money that left suspense once all lines are judged: its way back may stand anywhere in the file, or on a later
 * day's (REC-23).
 */
export class WaysBack {
  readonly #unseen: Finding[] = [];
  readonly #seen = new Set<string>();

  constructor(private readonly onFinding: (finding: Finding) => void) {}

  take(finding: Finding): void {
    const { name, line, about } = finding;
    if (line?.kind === 'reversal' && about && (name === 'refunded' || name === 'outside_day'))
      this.#seen.add(about.id);
    if (name === 'not_sent_back') this.#unseen.push(finding);
    else this.onFinding(finding);
  }

  /** The items of which the file shows no reversal. */
  get unseen(): readonly string[] {
    return this.#unseen.flatMap(({ item }) => (item && !this.#seen.has(item.id) ? item.id : []));
  }

  /** @param later items of which a later day's statement showed it */
  end(later: ReadonlySet<string>): void {
    for (const finding of this.#unseen) {
      const { id = '' } = finding.item ?? {};
      const isSeen = this.#seen.has(id) || later.has(id);
      this.onFinding(isSeen ? { ...finding, name: 'refunded' } : finding);
    }
  }
}

/** What a line pays: an item, or that item once more. */
interface Paid {
  readonly item: LedgerItem;
  readonly isAnother: boolean;
}

class Rest {
  readonly findings: Finding[] = [];
  readonly #taken = new Set<LedgerItem>();
  /** By the receipt of a line what that line pays, where the ledger itself knows no such receipt. */
  readonly #paidBy = new Map<string, Paid>();
  #sentBack: ReadonlySet<LedgerItem> = new Set();

  constructor(private readonly items: readonly LedgerItem[]) {}

  /** @returns the lines whose code nobody bears */
  byCode(lines: readonly StatementLine[]): readonly StatementLine[] {
    const bearers = grouped(this.items, ({ code }) => code);
    const unnamed: StatementLine[] = lines.filter(
      ({ code }) => code === undefined || !bearers.has(code),
    );
    for (const [code, found] of grouped(lines, (line) => line.code)) {
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

  /** The line that fits best is the item's own, unless its own is known by a receipt. */
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

  /** @returns the lines that are no item's */
  byAmount(lines: readonly StatementLine[]): readonly StatementLine[] {
    // A line is another merchant's where that one holds its money; what nobody holds is open for whoever reconciles.
    const free = this.items.filter(
      (item) =>
        (item.whose === 'own' || isHere(item)) &&
        item.receipt === undefined &&
        !this.#taken.has(item),
    );
    // By time: a file may have a hundred thousand of one amount and party.
    const itemsByKey = grouped(free.toSorted(byTime), (item) => amountKey(item));
    const linesByKey = grouped(lines.toSorted(byTime), (line) => amountKey(line));
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

  /** Of two items that the lines of one receipt pay, in and out, the order of the file must not choose (REC-8). */
  #notePaid({ receipt }: StatementLine, paid: Paid): void {
    const before = this.#paidBy.get(receipt);
    if (!before || compared(paid.item.id, before.item.id) < 0) this.#paidBy.set(receipt, paid);
  }

  /** Lines that are no item's own. Of two reversals of one item the order of the file must not choose (REC-8). */
  left(lines: readonly StatementLine[]): readonly Finding[] {
    const reversals = new Reversals(this.items, this.#paidBy);
    this.#sentBack = reversals.sentBack;
    return lines
      .toSorted(byContent)
      .map((line) => (line.kind === 'reversal' ? reversals.judge(line) : missing(line)));
  }

  /** The day's own items that no line is about. */
  untaken(ofDay: readonly LedgerItem[]): readonly Finding[] {
    return ofDay
      .filter((item) => !this.#taken.has(item))
      .map((item) => ({ name: nameAlone(item, this.#sentBack.has(item)), item }));
  }
}

/** Reversals that no correction bears: each is whose the reversed payment is (REC-15). */
class Reversals {
  readonly #byReceipt: ReadonlyMap<string, readonly LedgerItem[]>;
  readonly #byCode: ReadonlyMap<string, readonly LedgerItem[]>;
  /** Items that left suspense, whose way back is on the statement. */
  readonly sentBack = new Set<LedgerItem>();

  /** @param paidBy by the receipt of a line what it pays, where no item bears that receipt */
  constructor(
    items: readonly LedgerItem[],
    private readonly paidBy: ReadonlyMap<string, Paid>,
  ) {
    const borne = items.flatMap((item) => item.receipts.map((receipt) => ({ receipt, item })));
    this.#byReceipt = new Map(
      [...grouped(borne, ({ receipt }) => receipt)].map(([receipt, found]) => [
        receipt,
        found.map(({ item }) => item),
      ]),
    );
    this.#byCode = grouped(items, ({ code }) => code);
  }

  judge(line: StatementLine): Finding {
    const { item: about, isAnother } = this.#reversedBy(line) ?? {};
    if (!about) return missing(line);
    const isSentBack = about.state === 'returned' && line.amountMinor === -about.amountMinor;
    const isOwn = about.whose === 'own' && isAnother === false;
    if (!line.ofDay) return isSentBack && isOwn ? { ...outside(line), about } : outside(line);
    if (about.whose !== 'own') return { name: about.whose, line };
    if (isAnother) return { name: 'missing_here', line, about, isAnother: true };
    if (!isSentBack || this.sentBack.has(about)) return { name: 'missing_here', line, about };
    this.sentBack.add(about);
    return { name: 'refunded', line, about };
  }

  /** By the receipt that the line names, else the one that it bears; else by the code (REC-4). */
  #reversedBy(line: StatementLine): Paid | undefined {
    const { receipt, linkedReceipt = receipt, code = '' } = line;
    const bearers = this.#byReceipt.get(linkedReceipt) ?? [];
    const paid = this.paidBy.get(linkedReceipt);
    if (bearers.length === 0 && paid) return paid;
    const own = bearers.filter((item) => item.receipt === linkedReceipt);
    const found = [own, bearers, this.#byCode.get(code) ?? []].find(({ length }) => length > 0);
    const item = found?.toSorted(byFitness(line)).at(0);
    return item && { item, isAnother: namesAnother(line, item) };
  }
}

/** A line and the item whose own it is. */
function pair(line: StatementLine, item: LedgerItem, by: MatchedBy): Finding {
  if (item.whose !== 'own') return line.ofDay ? { name: item.whose, line } : outside(line);
  if (!isHere(item))
    return line.ofDay ? { name: 'missing_here', line, about: item, by } : outside(line);
  if (!line.ofDay && !item.ofDay) return outside(line);
  if (differs(line, item)) return { name: 'amount_differs', line, item, by };
  if (item.state === 'returned') return { name: 'not_sent_back', line, item, by };
  if (item.state === 'held') return { name: 'in_suspense', line, item, by };
  // A correction is posted when people get to it; its own day says nothing.
  const isOneDay = line.ofDay && (item.ofDay || item.type === 'correction');
  return { name: isOneDay ? 'matched' : 'other_day', line, item, by };
}

/** A line about an item that has another line of its own, or more than one of the same code. */
function anotherPayment(line: StatementLine, item: LedgerItem): Finding {
  if (!line.ofDay) return outside(line);
  return item.whose === 'own'
    ? { name: 'paid_twice', line, about: item }
    : { name: item.whose, line };
}

function missing(line: StatementLine): Finding {
  return line.ofDay ? { name: 'missing_here', line } : outside(line);
}

/** Whether the payment that a reversal names is another than the one whose receipt the item bears. */
function namesAnother({ receipt, linkedReceipt }: StatementLine, item: LedgerItem): boolean {
  if (item.receipt === undefined) return false;
  if (linkedReceipt !== undefined) return item.receipt !== linkedReceipt;
  return item.receipt !== receipt && item.receipts.includes(receipt);
}

function outside(line: StatementLine): Finding {
  return { name: 'outside_day', line };
}

function repeated(line: StatementLine): Finding {
  return line.ofDay ? { name: 'duplicate_there', line } : outside(line);
}

function alsoHere(item: LedgerItem): readonly Finding[] {
  if (item.whose !== 'own' || !isHere(item)) return [];
  return [{ name: isTakenBack(item) ? 'refunded' : 'duplicate_here', item }];
}

/** @param isSentBack what went back is on the statement: then it came, too, and the statement lacks it */
function nameAlone(item: LedgerItem, isSentBack: boolean): Finding['name'] {
  if (isTakenBack(item) && !isSentBack) return 'refunded';
  return item.reconciledOn === undefined ? 'missing_there' : 'other_day';
}

/** Nothing of it is in the ledger any more: it left suspense, or corrections took all of it. */
function isTakenBack({ amountMinor, state }: LedgerItem): boolean {
  return amountMinor === 0n || state === 'returned';
}

/** Whether the item is of the kind that such a line is about. */
function fits(
  { kind, amountMinor: lineMinor }: StatementLine,
  { type, amountMinor }: LedgerItem,
): boolean {
  switch (type) {
    case 'collection':
      return kind === 'payment_in';
    case 'payout':
      return kind === 'payment_out';
    case 'correction':
      // A reversal of a payout comes in; one that was taken back has no direction any more, and its receipt all the same.
      return lineMinor > 0n ? amountMinor >= 0n : amountMinor <= 0n;
  }
}

/** Signed: of what corrections took back twice the ledger gave away as much as the rail brought. */
function differs(line: StatementLine, item: LedgerItem): boolean {
  return line.amountMinor !== item.amountMinor;
}

/** Undefined where there is no party to go by. */
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

/** @param sorted by time. @returns those that are near, two at most: more leave no choice either */
function twoNear<T extends Timed>(sorted: readonly T[], { atMs }: Timed): readonly T[] {
  let [first, end] = [0, sorted.length];
  while (first < end) {
    const middle = Math.floor((first + end) / 2);
    if ((sorted[middle]?.atMs ?? 0) < atMs - maxApartMs) first = middle + 1;
    else end = middle;
  }
  return sorted.slice(first, first + 2).filter((each) => each.atMs <= atMs + maxApartMs);
}

/** By what the lines say, never by where they stand: the order of a file means nothing (REC-8). */
function byContent(one: StatementLine, other: StatementLine): number {
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

/** Own items first, of them those whose money is here, of them those of the line's amount, which a reversal moved back. */
function byFitness(line: StatementLine): (one: LedgerItem, other: LedgerItem) => number {
  const rank = (item: LedgerItem): number =>
    (item.whose === 'own' ? 0 : 8) +
    (isHere(item) ? 0 : 4) +
    (absolute(line.amountMinor) === absolute(item.amountMinor) ? 0 : 2) +
    (isOfOtherCode(line, item) ? 1 : 0);
  return (one, other) => rank(one) - rank(other) || compared(one.id, other.id);
}

function isOfOtherCode(line: StatementLine, item: LedgerItem): boolean {
  return line.code !== undefined && line.code !== item.code;
}

/**
 * Of those that bear the line's receipt first the one whose money it is. Of several that hold it, whosever they are, one
 * alone is, whoever reconciles: for the others it was posted once more (REC-7).
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

function compared<T extends string | bigint>(one: T, other: T): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function grouped<T>(
  all: readonly T[],
  keyOf: (of: T) => string | undefined,
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const each of all) {
    const key = keyOf(each);
    if (key === undefined) continue;
    const group = groups.get(key);
    if (group) group.push(each);
    else groups.set(key, [each]);
  }
  return groups;
}

function asNumber(flag: boolean): number {
  return flag ? 1 : 0;
}
