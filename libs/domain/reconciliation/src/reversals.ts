import { type Finding } from './finding.js';
import { isHere, type LedgerItem, type StatementLine } from './statement.js';
import { missing, outside } from './line-findings.js';
import { byFitness } from './ordering.js';

/** The payment of a line: an item, or the same item once more. */
export interface Paid {
  readonly item: LedgerItem;
  readonly isAnother: boolean;
}

/** Reversals without a correction. Each belongs to the owner of the reversed payment (REC-15). */
export class Reversals {
  readonly #byReceipt: ReadonlyMap<string, readonly LedgerItem[]>;
  readonly #byCode: ReadonlyMap<string | undefined, readonly LedgerItem[]>;
  /** Refunds without an outcome, by the receipt that the rail reverses. */
  readonly #refunds: ReadonlyMap<string | undefined, LedgerItem>;
  /** Items that left suspense and whose return is on the statement. */
  readonly sentBack = new Set<LedgerItem>();

  /** @param paidBy the payment of a line, by the line's receipt, if no item has that receipt */
  constructor(
    items: readonly LedgerItem[],
    private readonly paidBy: ReadonlyMap<string, Paid>,
  ) {
    const borne = items.flatMap((item) => item.receipts.map((receipt) => ({ receipt, item })));
    this.#byReceipt = new Map(
      [...Map.groupBy(borne, ({ receipt }) => receipt)].map(([receipt, found]) => [
        receipt,
        found.map(({ item }) => item),
      ]),
    );
    this.#byCode = Map.groupBy(items, ({ code }) => code);
    const refunds = items.filter((item) => item.reverses !== undefined && !isHere(item));
    this.#refunds = new Map(refunds.map((item) => [item.reverses, item]));
  }

  judge(line: StatementLine): Finding {
    const refund =
      line.linkedReceipt === undefined ? undefined : this.#refunds.get(line.linkedReceipt);
    if (refund) return ofOpenRefund(line, refund);
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

  /**
   * Finds the reversed payment by the receipt that the line names, else by its own receipt, else by its code (REC-4).
   */
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

/** The finding of a reversal that pays a refund whose outcome the ledger does not know (REF-9). */
function ofOpenRefund(line: StatementLine, refund: LedgerItem): Finding {
  if (!line.ofDay) return outside(line);
  return refund.whose === 'own'
    ? { name: 'missing_here', line, about: refund }
    : { name: refund.whose, line };
}

/** True if a reversal names another payment than the one with the item's receipt. */
function namesAnother({ receipt, linkedReceipt }: StatementLine, item: LedgerItem): boolean {
  if (item.receipt === undefined) return false;
  if (linkedReceipt !== undefined) return item.receipt !== linkedReceipt;
  return item.receipt !== receipt && item.receipts.includes(receipt);
}
