import { type Mode } from '#domain/kernel';

/** What a line of the rail's statement is. `transfer`: the organisation's own money between its own accounts. */
export type LineKind = 'payment_in' | 'payment_out' | 'reversal' | 'charge' | 'transfer';

/** A row of the rail's statement. */
export interface StatementLine {
  /** Of the row in the file, from 1; it says nothing about the payment. */
  readonly line: number;
  readonly receipt: string;
  readonly kind: LineKind;
  /** Whether the rail says that it took place; a line that did not is no money. */
  readonly completed: boolean;
  readonly atMs: number;
  /** Whether it took place on the day that is reconciled. */
  readonly ofDay: boolean;
  /** Signed: what came in is positive. */
  readonly amountMinor: bigint;
  /** What the rail was given, or the customer typed, as the account. */
  readonly code?: string;
  /** The customer's number, masked. */
  readonly party?: string;
  /** Of a reversal: the receipt of what was reversed. */
  readonly linkedReceipt?: string;
}

/** Reads the files in which a rail says what moved. */
export abstract class StatementReader {
  /**
   * The lines as the file streams by, some at a time.
   * @param day whose statement it is to be
   * @throws StatementRefused, at the latest at the file's end
   */
  abstract read(
    chunks: AsyncIterable<Uint8Array>,
    day: {
      readonly mode: Mode;
      readonly accountNo: string;
      readonly fromMs: number;
      readonly untilMs: number;
    },
  ): AsyncIterable<readonly StatementLine[]>;
}

/** The file is no statement that can be read; the message is a sentence for whoever gave it. */
export class StatementRefused extends Error {
  override readonly name = 'StatementRefused';
}

/** Something of the ledger that a line may be about. */
export interface LedgerItem {
  /** Its stream. */
  readonly id: string;
  readonly type: 'collection' | 'payout' | 'correction';
  /** `own`: of the merchant and account that are reconciled. */
  readonly whose: 'own' | 'other_account' | 'other_merchant';
  /** The merchant's reference; of a correction its id. */
  readonly reference: string;
  /**
   * `posted`: in a wallet, or paid out · `held`: in suspense · `returned`: was in suspense and went back ·
   * `pending`, `failed`: no money here.
   */
  readonly state: 'posted' | 'held' | 'returned' | 'pending' | 'failed';
  /** Signed, as the rail moved it; of money in suspense, what arrived. Corrections of it that bear no receipt are in it. */
  readonly amountMinor: bigint;
  readonly feeMinor: bigint;
  /** Whether its money is here and the ledger counts it on the day that is reconciled. */
  readonly ofDay: boolean;
  /**
   * The rail's time if it is known; else of a collection that of its push, and of a payout when it was given to the rail:
   * it may have waited for days by then. A payout that was never given has the time of its request.
   */
  readonly atMs: number;
  /** The payout was given to the rail. */
  readonly isGiven?: true;
  /** The one that it bears; a second payment of the same item has another one. */
  readonly receipt?: string;
  /** Every receipt that the rail ever told for it, `receipt` among them. */
  readonly receipts: readonly string[];
  readonly code?: string;
  readonly party?: string;
  /** The neighbouring day on whose statement it was found when that day was reconciled, YYYY-MM-DD. */
  readonly reconciledOn?: string;
  /** The neighbouring day whose statement may have shown it, too: not all that it showed was recorded (REC-18). */
  readonly partlyRecordedOn?: string;
}

/** Whether the line concerns money of the ledger; what did not take place and the rail's own transfers are excluded. */
export function isMovement({ kind, completed }: StatementLine): boolean {
  return completed && kind !== 'charge' && kind !== 'transfer';
}

/** Whether the ledger holds, or held, its money. */
export function isHere({ state }: LedgerItem): boolean {
  return state === 'posted' || state === 'held' || state === 'returned';
}
