import { type LedgerItem, type StatementLine } from './statement.js';

/** The results for a line and an item (REC-5), and whether a person must act on them (REC-6). */
export const findings = {
  /** The same amount on both sides, on the day. */
  matched: { isOpen: false },
  /** The same amount on both sides, but one of them counts it on another day. */
  other_day: { isOpen: false },
  /** The money arrived, did not match the request, and was returned. */
  refunded: { isOpen: false },
  /** The money arrived and left suspense to be returned, but the rail shows no reversal of it. */
  not_sent_back: { isOpen: true },
  /** The money arrived, and is in suspense until operators decide. */
  in_suspense: { isOpen: true },
  amount_differs: { isOpen: true },
  /** On the statement, but the ledger has no such money. */
  missing_here: { isOpen: true },
  /** In the ledger, but not on the statement. */
  missing_there: { isOpen: true },
  /** The statement shows one payment twice. */
  duplicate_there: { isOpen: true },
  /** Two items of the ledger have one receipt. */
  duplicate_here: { isOpen: true },
  /** Another payment for an item that was paid already. */
  paid_twice: { isOpen: true },
  other_account: { isOpen: false },
  other_merchant: { isOpen: false },
  /** The rail reports that it was not completed. */
  not_completed: { isOpen: false },
  charge: { isOpen: false },
  /** The organisation's money on its way to its bank. It is posted by itself. */
  sweep: { isOpen: false },
  /** The organisation's money was withdrawn to a bank, but not as a known sweep. */
  withdrawal: { isOpen: true },
  transfer: { isOpen: false },
  /** A line of another day. */
  outside_day: { isOpen: false },
} as const satisfies Record<string, { readonly isOpen: boolean }>;

export type FindingName = keyof typeof findings;

/** The criterion by which a line and an item were matched (REC-4). */
export type MatchedBy = 'receipt' | 'code' | 'amount';

/** Each line is in exactly one finding, and so is each item of the day. */
export interface Finding {
  readonly name: FindingName;
  readonly line?: StatementLine;
  readonly item?: LedgerItem;
  /** The item that the line is about, if it is not the item's own line. */
  readonly about?: LedgerItem;
  /** For a reversal: the reversed payment is not the one with `about`'s receipt, but another one of it. */
  readonly isAnother?: true;
  readonly by?: MatchedBy;
  /** For a line without an item: the merchant's items that may explain it, the likeliest first (REC-30). */
  readonly candidates?: readonly LedgerItem[];
  /** True if an item of another merchant may explain the line. */
  readonly mayBeOthers?: true;
  /** For an item without a line: true if a line without an owner may be its payment. */
  readonly mayBeShown?: true;
}

export function isOpen({ name }: Pick<Finding, 'name'>): boolean {
  return findings[name].isOpen;
}

/** The number of findings and their sums. */
export interface Tally {
  readonly findings: number;
  readonly lines: number;
  readonly inMinor: bigint;
  readonly outMinor: bigint;
  /** Collections and payouts. Their sums are those of the list's `amount_minor` and `fee_minor`, without a sign. */
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

/** Counts and sums by finding, in any order of the findings. */
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

  /** Adds matches that were counted elsewhere, each of a line and an item of the same amount. */
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

  /** The tallies of the findings that occurred, in the order of `findings`. */
  entries(): readonly (readonly [FindingName, Tally])[] {
    return (Object.keys(findings) as FindingName[]).flatMap((name) => {
      const tally = this.#of.get(name);
      return tally === undefined ? [] : [[name, tally] as const];
    });
  }

  /** The number of open findings. */
  get open(): number {
    return this.entries()
      .filter(([name]) => isOpen({ name }))
      .reduce((sum, [, tally]) => sum + tally.findings, 0);
  }
}

export function absolute(amountMinor: bigint): bigint {
  return amountMinor < 0n ? -amountMinor : amountMinor;
}
