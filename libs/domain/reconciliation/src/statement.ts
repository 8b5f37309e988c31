import { type Mode } from '#domain/kernel';

/**
 * The kind of a statement line.
 * - `sweep`: money that went from the rail's account to the organisation's bank (SWEEP-1).
 * - `withdrawal`: money withdrawn to a bank, but not as a known sweep. A person posts it (SWEEP-4).
 * - `transfer`: the organisation's own money between its own accounts.
 */
export type LineKind =
  'payment_in' | 'payment_out' | 'reversal' | 'charge' | 'sweep' | 'withdrawal' | 'transfer';

/** Kinds of lines that are about no item of the ledger. */
export const excludedKinds = ['charge', 'sweep', 'transfer'] as const;

/** A row of the rail's statement. */
export interface StatementLine {
  /** The row's number in the file, from 1; it does not identify the payment. */
  readonly line: number;
  readonly receipt: string;
  readonly kind: LineKind;
  /** True if the rail reports that it took place; any other line moved no money. */
  readonly completed: boolean;
  readonly atMs: number;
  /** True if it took place on the reconciled day. */
  readonly ofDay: boolean;
  /** Signed: positive for money that came in. */
  readonly amountMinor: bigint;
  /** The account code that the rail was given, or that the customer typed. */
  readonly code?: string;
  /** The customer's number, masked. */
  readonly party?: string;
  /** For a reversal: the receipt of the reversed payment. */
  readonly linkedReceipt?: string;
}

/** Reads the files in which a rail reports its movements. */
export abstract class StatementReader {
  /** The channel of the rail whose files it reads. */
  abstract readonly channel: string;
  /**
   * Yields the lines in parts while the file is read.
   * @param day the day that the statement must be about
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

/** The readers of all rails, by channel. */
export class StatementReaders {
  readonly #byChannel: ReadonlyMap<string, StatementReader>;

  constructor(readers: readonly StatementReader[]) {
    this.#byChannel = new Map(readers.map((reader) => [reader.channel, reader]));
  }

  of(channel: string): StatementReader | undefined {
    return this.#byChannel.get(channel);
  }
}

/** The file is not a readable statement. The message is a sentence for the person who uploaded it. */
export class StatementRefused extends Error {
  override readonly name = 'StatementRefused';
}

/** An item of the ledger that a line may be about. */
export interface LedgerItem {
  /** Its stream. */
  readonly id: string;
  readonly type: 'collection' | 'payout' | 'correction';
  /** `own`: of the reconciled merchant and account. */
  readonly whose: 'own' | 'other_account' | 'other_merchant';
  /** The merchant's reference; for a correction its id. */
  readonly reference: string;
  /**
   * `posted`: in a wallet, or paid out · `held`: in suspense · `returned`: was in suspense and was returned ·
   * `pending`, `failed`: no money here.
   */
  readonly state: 'posted' | 'held' | 'returned' | 'pending' | 'failed';
  /**
   * Signed, as the rail moved it; for money in suspense, the amount that arrived. It includes the item's corrections
   * without a receipt.
   */
  readonly amountMinor: bigint;
  readonly feeMinor: bigint;
  /** True if its money is here and the ledger counts it on the reconciled day. */
  readonly ofDay: boolean;
  /**
   * The rail's time if it is known. Otherwise, for a collection the time of its push, and for a payout the time when it
   * went to the rail, which may be days after its request. A payout that never went to the rail has the time of its
   * request.
   */
  readonly atMs: number;
  /** True if the payout went to the rail. */
  readonly isGiven?: true;
  /** The item's receipt. A second payment of the same item has another one. */
  readonly receipt?: string;
  /** Every receipt that the rail ever reported for it, `receipt` included. */
  readonly receipts: readonly string[];
  /** For a refund: the receipt that the rail reverses. */
  readonly reverses?: string;
  readonly code?: string;
  readonly party?: string;
  /** The neighbouring day, YYYY-MM-DD, whose reconciled statement showed it. */
  readonly reconciledOn?: string;
  /**
   * The neighbouring day whose statement may have shown it too, because only a part of that statement was recorded
   * (REC-18).
   */
  readonly partlyRecordedOn?: string;
}

/**
 * True if an item of the ledger may be about the line. Lines that were not completed, charges, sweeps and own transfers
 * have none.
 */
export function isMovement({ kind, completed }: StatementLine): boolean {
  return completed && !excludedKinds.some((excluded) => excluded === kind);
}

/** True if the ledger has, or had, its money. */
export function isHere({ state }: LedgerItem): boolean {
  return state === 'posted' || state === 'held' || state === 'returned';
}
