import { type LedgerItem, type StatementLine } from './statement.js';

/** What a line and an item come to (REC-5), and whether somebody has to do something about it (REC-6). */
export const findings = {
  /** The same amount on both sides, on the day. */
  matched: { isOpen: false },
  /** The same amount on both sides; one of them counts it on another day. */
  other_day: { isOpen: false },
  /** Came, did not fit what was asked for, and was sent back. */
  refunded: { isOpen: false },
  /** Came, and left suspense to be sent back; the rail shows no reversal of it. */
  not_sent_back: { isOpen: true },
  /** Arrived, and lies in suspense until operators decide. */
  in_suspense: { isOpen: true },
  amount_differs: { isOpen: true },
  /** On the statement; the ledger holds no such money. */
  missing_here: { isOpen: true },
  /** In the ledger; the statement does not show it. */
  missing_there: { isOpen: true },
  /** The statement shows one payment twice. */
  duplicate_there: { isOpen: true },
  /** Two items of the ledger bear one receipt. */
  duplicate_here: { isOpen: true },
  /** Another payment of an item that was paid already. */
  paid_twice: { isOpen: true },
  other_account: { isOpen: false },
  other_merchant: { isOpen: false },
  /** The rail says that it did not take place. */
  not_completed: { isOpen: false },
  charge: { isOpen: false },
  transfer: { isOpen: false },
  /** A line of another day. */
  outside_day: { isOpen: false },
} as const satisfies Record<string, { readonly isOpen: boolean }>;

export type FindingName = keyof typeof findings;

/** By what a line and an item were found to be one payment (REC-4). */
export type MatchedBy = 'receipt' | 'code' | 'amount';

/** Each line stands in exactly one finding, and so does each item of the day. */
export interface Finding {
  readonly name: FindingName;
  readonly line?: StatementLine;
  readonly item?: LedgerItem;
  /** The item that the line is about where it is not the item's own line. */
  readonly about?: LedgerItem;
  /** Of a reversal: what it reversed is not the payment that `about` bears, but another one of it. */
  readonly isAnother?: true;
  readonly by?: MatchedBy;
  /** Of a line that no item bears: the merchant's items that may explain it, the likeliest first (REC-30). */
  readonly candidates?: readonly LedgerItem[];
  /** An item of another merchant may explain the line. */
  readonly mayBeOthers?: true;
  /** Of an item that no line is matched with: a line without an owner may be its payment. */
  readonly mayBeShown?: true;
}

export function isOpen({ name }: Pick<Finding, 'name'>): boolean {
  return findings[name].isOpen;
}

/** How many there are and what they come to. */
export interface Tally {
  readonly findings: number;
  readonly lines: number;
  readonly inMinor: bigint;
  readonly outMinor: bigint;
  /** Collections and payouts; their sums as the list gives `amount_minor` and `fee_minor`, without a sign. */
  readonly items: number;
  readonly itemsMinor: bigint;
  readonly feesMinor: bigint;
}

const nothing: Tally = {
  findings: 0,
  lines: 0,
  inMinor: 0n,
  outMinor: 0n,
  items: 0,
  itemsMinor: 0n,
  feesMinor: 0n,
};

/** Counts and sums by finding, whatever the order in which they come. */
export class Tallies {
  readonly #of = new Map<FindingName, Tally>();

  add({ name, line, item }: Finding): void {
    const before = this.of(name);
    const amountMinor = line?.amountMinor ?? 0n;
    const listed = item?.type === 'correction' ? undefined : item;
    this.#of.set(name, {
      findings: before.findings + 1,
      lines: before.lines + (line === undefined ? 0 : 1),
      inMinor: before.inMinor + (amountMinor > 0n ? amountMinor : 0n),
      outMinor: before.outMinor - (amountMinor < 0n ? amountMinor : 0n),
      items: before.items + (listed === undefined ? 0 : 1),
      itemsMinor: before.itemsMinor + (listed === undefined ? 0n : absolute(listed.amountMinor)),
      feesMinor: before.feesMinor + (listed?.feeMinor ?? 0n),
    });
  }

  /** Matches that were counted where they were found, each of a line and an item of one amount. */
  addMatched(matches: {
    readonly count: number;
    readonly inMinor: bigint;
    readonly outMinor: bigint;
    readonly feesMinor: bigint;
  }): void {
    const { count, inMinor, outMinor, feesMinor } = matches;
    const before = this.of('matched');
    this.#of.set('matched', {
      findings: before.findings + count,
      lines: before.lines + count,
      inMinor: before.inMinor + inMinor,
      outMinor: before.outMinor + outMinor,
      items: before.items + count,
      itemsMinor: before.itemsMinor + inMinor + outMinor,
      feesMinor: before.feesMinor + feesMinor,
    });
  }

  of(name: FindingName): Tally {
    return this.#of.get(name) ?? nothing;
  }

  /** Those that there are, in the order of `findings`. */
  entries(): readonly (readonly [FindingName, Tally])[] {
    return (Object.keys(findings) as FindingName[]).flatMap((name) => {
      const tally = this.#of.get(name);
      return tally === undefined ? [] : [[name, tally] as const];
    });
  }

  /** How many findings are open. */
  get open(): number {
    return this.entries()
      .filter(([name]) => isOpen({ name }))
      .reduce((sum, [, tally]) => sum + tally.findings, 0);
  }
}

export function absolute(amountMinor: bigint): bigint {
  return amountMinor < 0n ? -amountMinor : amountMinor;
}
