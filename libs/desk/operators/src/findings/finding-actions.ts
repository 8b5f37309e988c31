import { instantFromMs } from '#domain/kernel';
import { ledgerAccount, type Leg } from '#domain/ledger';
import { absolute, type LedgerItem, type StatementLine } from '#domain/reconciliation';
import { type ReviewDecision } from '#domain/reviews';
import { type Report } from '#views/reconciliations';
import { type DeskAction, type Movement, type NamedItem } from './actions.js';

/** The actions for a day of an account. Their legs clear with the rail of the statement. */
export class FindingActions {
  constructor(readonly day: Report['day']) {}

  review(item: LedgerItem): DeskAction {
    return { do: 'read_review', item: this.#named(item) };
  }

  history(item: LedgerItem): DeskAction {
    return { do: 'read_history', item: this.#named(item) };
  }

  /** Actions that show the item, and every other item with its receipt. */
  bearers(item: LedgerItem): readonly DeskAction[] {
    const { receipt } = item;
    return [this.history(item), ...(receipt === undefined ? [] : [find(receipt)])];
  }

  resolve(item: LedgerItem, decision: ReviewDecision): DeskAction {
    return { do: 'resolve_review', item: this.#named(item), decision, reason: this.#reason() };
  }

  openReview(item: LedgerItem, line: StatementLine): DeskAction {
    const payment = {
      receipt: line.receipt,
      amountMinor: absolute(line.amountMinor),
      paidAt: instantFromMs(line.atMs),
    };
    return { do: 'open_review', item: this.#named(item), payment, reason: this.#reason(line) };
  }

  /** A payment without a collection, to the account's own wallet. */
  toWallet(line: StatementLine): DeskAction {
    return this.#correct(line, {
      legs: this.#movedBy(line.amountMinor, this.#wallet),
      receipt: line.receipt,
    });
  }

  /** The line's money to or from suspense, under its receipt. */
  toSuspense(line: StatementLine, about?: LedgerItem): DeskAction {
    return this.#correct(line, {
      legs: this.#movedBy(line.amountMinor, ledgerAccount.suspense),
      ...(about === undefined ? {} : { corrects: about.id }),
      receipt: line.receipt,
    });
  }

  /** Money that the organisation moved to its bank, under the line's receipt (SWEEP-4). */
  toBank(line: StatementLine): DeskAction {
    return this.#correct(line, {
      legs: this.#movedBy(line.amountMinor, ledgerAccount.bankSettlement(this.day.channel)),
      receipt: line.receipt,
    });
  }

  /** A reversal from the wallet. If it is of the whole collection, its fee is given back. */
  fromWallet(line: StatementLine, about: LedgerItem): DeskAction {
    const isWhole = line.amountMinor === -about.amountMinor;
    const feeMinor = isWhole && about.type === 'collection' ? about.feeMinor : 0n;
    return this.#correct(line, {
      legs: [
        { account: this.#wallet, amountMinor: line.amountMinor + feeMinor },
        { account: ledgerAccount.fees, amountMinor: -feeMinor },
        { account: this.#clearing, amountMinor: -line.amountMinor },
      ],
      corrects: about.id,
      receipt: line.receipt,
      ...(line.amountMinor < 0n ? { mayOverdraw: true } : {}),
    });
  }

  /** The difference between what the rail moved and what is posted. */
  difference(line: StatementLine, item: LedgerItem): DeskAction {
    return this.#correct(line, {
      legs: this.#movedBy(line.amountMinor - item.amountMinor, this.#wallet),
      corrects: item.id,
    });
  }

  /**
   * Actions that take an item's whole money back from where it is: from a wallet with its fee, from suspense by its
   * review (REC-6).
   */
  takeBack(item: LedgerItem): readonly DeskAction[] {
    if (item.type === 'correction') return [];
    if (item.state === 'held') return [this.resolve(item, 'refunded')];
    if (item.state !== 'posted') return [];
    const legs = [
      { account: this.#wallet, amountMinor: item.feeMinor - item.amountMinor },
      { account: ledgerAccount.fees, amountMinor: -item.feeMinor },
      { account: this.#clearing, amountMinor: item.amountMinor },
    ];
    return [this.#correct(undefined, { legs, corrects: item.id })];
  }

  get #wallet(): Leg['account'] {
    return ledgerAccount.wallet(this.day.accountNo);
  }

  get #clearing(): Leg['account'] {
    return ledgerAccount.railClearing(this.day.channel);
  }

  #movedBy(amountMinor: bigint, account: Leg['account']): readonly Leg[] {
    return [
      { account, amountMinor },
      { account: this.#clearing, amountMinor: -amountMinor },
    ];
  }

  #correct(line: StatementLine | undefined, movement: Movement): DeskAction {
    const { merchantId, mode, currency } = this.day;
    const reason = this.#reason(line);
    return { do: 'propose_correction', merchantId, mode, currency, movement, reason };
  }

  #named({ type, reference }: LedgerItem): NamedItem {
    return { type, reference, merchantId: this.day.merchantId, mode: this.day.mode };
  }

  /** The reason that the events of an action will name. */
  #reason(line?: StatementLine): string {
    const row = line === undefined ? '' : `, row ${line.line}`;
    return `statement of ${this.day.date}${row}`;
  }
}

function find(word: string): DeskAction {
  return { do: 'find', word };
}
