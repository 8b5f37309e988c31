import { type LineKind, type StatementLine, StatementRefused } from '#domain/reconciliation';
import { FileNotation, readAmount } from './amounts.js';
import { rowsOf } from './rows.js';
import { plainName, type Separator } from './separators.js';
import { statementTime } from './times.js';

/** The columns of a statement, in the terms of its reader. */
type Column =
  | 'receipt'
  | 'completed'
  | 'status'
  | 'paidIn'
  | 'withdrawn'
  | 'code'
  | 'details'
  | 'reason'
  | 'party'
  | 'linked';

/** The cells of a row that its rail reads itself. */
export interface RailCells {
  readonly reason: string;
  readonly details: string;
  /** Signed, in minor units: positive for money that came in. */
  readonly amountMinor: bigint;
}

/** The form of a rail's statement. */
export interface StatementFormat {
  /** The rail's name, for people. */
  readonly rail: string;
  /** The names of the columns, as the export writes them. A rail that has no such column names none. */
  readonly columns: Readonly<Partial<Record<Column, string>>> &
    Readonly<Record<'receipt' | 'completed' | 'status' | 'paidIn' | 'withdrawn', string>>;
  /** Columns without which the file is still a statement. */
  readonly optional: readonly Column[];
  /** The value of the status of money that moved, in lower case. */
  readonly completed: string;
  /** Returns undefined if the text is no receipt of the rail's. */
  receiptOf(text: string): string | undefined;
  kindOf(cells: RailCells): LineKind;
  /** True if the text can be a code that we gave the rail. Only such text is kept. */
  isCode(text: string): boolean;
  /** Returns the mask of a customer's number. */
  partyOf(text: string): string | undefined;
  /**
   * Looks at a row above the header.
   * @returns the reason why the file is refused, if it is the statement of another account at the rail
   */
  refuses?(row: readonly string[]): string | undefined;
}

/** The day that a statement is read for. */
export interface StatementDay {
  /** The start of the day that is reconciled, in the merchant's zone. */
  readonly fromMs: number;
  readonly untilMs: number;
  /** The account that is reconciled. Customers may type it as theirs. */
  readonly accountNo?: string;
}

/** Portals write some ten lines above the header. */
const maxPreambleRows = 50;

/**
 * Reads a rail's statement as it streams by (REC-9 to REC-12).
 * @throws StatementRefused, at the latest at the file's end
 */
export async function* readStatementFile(
  chunks: AsyncIterable<Uint8Array>,
  format: StatementFormat,
  day: StatementDay,
): AsyncGenerator<readonly StatementLine[]> {
  const file = new StatementFile(format, day);
  for await (const { rows, separator } of rowsOf(chunks, plainName(format.columns.receipt))) {
    file.separatedBy(separator);
    const lines = rows.flatMap((row) => file.next(row) ?? []);
    if (lines.length > 0) yield lines;
  }
  file.end();
}

/** The state of a file that is being read. */
class StatementFile {
  /** The number of the row that was read last, from 1. */
  row = 0;
  /** Each column's index in a row; -1 for one that the file does not have. */
  #columns: Readonly<Record<Column, number>> | undefined;
  #width = 0;
  #order: 'year_first' | 'day_first' | undefined;
  /** True if some date proves that the day comes first. */
  #dayFirstProven = false;
  /** True if some date belongs to the reconciled day with the month first, but to another day with the day first. */
  #monthFirstMeant = false;
  #notation = new FileNotation(true);
  #separator: Separator = ',';

  constructor(
    private readonly format: StatementFormat,
    private readonly day: StatementDay,
  ) {}

  /** Sets the separator before the first row. Only a file with the portal's separator has the portal's notation too. */
  separatedBy(separator: Separator): void {
    if (separator === this.#separator) return;
    this.#separator = separator;
    this.#notation = new FileNotation(false);
  }

  /** @returns undefined if the row is no line: the preamble, the header, or an empty row */
  next(row: readonly string[]): StatementLine | undefined {
    this.row += 1;
    if (row.every((cell) => cell === '')) return undefined;
    if (!this.#columns) {
      this.#preamble(row);
      return undefined;
    }
    if (row.length < this.#width || row.slice(this.#width).some((cell) => cell !== ''))
      this.#refuse(
        `row ${this.row} has ${row.length} cells and the header ${this.#width}: is the file cut off, or was it changed by another program?`,
      );
    return this.#line(row, this.#columns);
  }

  /** @throws StatementRefused */
  end(): void {
    if (!this.#columns)
      this.#refuse(
        `no header was found: a statement of ${this.format.rail} has the columns ${Object.values(this.format.columns).map(plainName).join(', ')}`,
      );
    if (this.#order === 'day_first' && !this.#dayFirstProven && this.#monthFirstMeant)
      this.#refuse(
        'its dates can be read with the day or with the month first, and the day that is reconciled is there either way: export it with dates as YYYY-MM-DD',
      );
    const unproven = this.#notation.unproven();
    if (unproven !== undefined) this.#refuse(unproven);
  }

  #preamble(row: readonly string[]): void {
    const { columns, optional } = this.format;
    const names = row.map(plainName);
    if (!names.includes(plainName(columns.receipt))) {
      const refusal = this.format.refuses?.(row);
      if (refusal !== undefined) this.#refuse(refusal);
      if (this.row > maxPreambleRows)
        this.#refuse(
          `none of its first ${maxPreambleRows} rows is a header with “${columns.receipt}”`,
        );
      return;
    }
    const known = Object.entries(columns) as (readonly [Column, string])[];
    const missing = known.filter(
      ([key, name]) => !optional.includes(key) && !names.includes(plainName(name)),
    );
    if (missing.length > 0)
      this.#refuse(
        `the header lacks ${missing.map(([, name]) => `“${plainName(name)}”`).join(', ')}`,
      );
    const twice = known
      .map(([, name]) => plainName(name))
      .find((name) => names.indexOf(name) !== names.lastIndexOf(name));
    if (twice !== undefined) this.#refuse(`the header has “${twice}” twice`);
    this.#width = names.length;
    const at = (column: Column): number => {
      const name = columns[column];
      return name === undefined ? -1 : names.indexOf(plainName(name));
    };
    this.#columns = {
      receipt: at('receipt'),
      completed: at('completed'),
      status: at('status'),
      paidIn: at('paidIn'),
      withdrawn: at('withdrawn'),
      code: at('code'),
      details: at('details'),
      reason: at('reason'),
      party: at('party'),
      linked: at('linked'),
    };
  }

  #line(row: readonly string[], at: Readonly<Record<Column, number>>): StatementLine {
    const { format, day } = this;
    const cell = (column: Column): string => row[at[column]] ?? '';
    const receipt = format.receiptOf(cell('receipt'));
    if (receipt === undefined)
      this.#refuse(`row ${this.row}: “${format.columns.receipt}” is no receipt`);
    const atMs = this.#time(cell('completed'));
    const amountMinor = this.#amount(cell('paidIn'), cell('withdrawn'));
    const completed = cell('status').toLowerCase() === format.completed;
    if (completed && amountMinor === 0n)
      this.#refuse(`row ${this.row} is completed and moves nothing`);
    const code = cell('code');
    const party = format.partyOf(cell('party'));
    const linkedReceipt = format.receiptOf(cell('linked'));
    return {
      line: this.row,
      receipt,
      kind: format.kindOf({ reason: cell('reason'), details: cell('details'), amountMinor }),
      completed,
      atMs,
      ofDay: this.#isOfDay(atMs),
      amountMinor,
      ...(format.isCode(code) || code === day.accountNo ? { code } : {}),
      ...(party === undefined ? {} : { party }),
      ...(linkedReceipt === undefined ? {} : { linkedReceipt }),
    };
  }

  #amount(paidIn: string, withdrawn: string): bigint {
    const { columns } = this.format;
    const [came, went] = [this.#read(paidIn), this.#read(withdrawn)];
    if (came === undefined || came < 0n)
      this.#refuse(`row ${this.row}: “${columns.paidIn}” is no amount of two decimals, 0 or more`);
    if (went === undefined)
      this.#refuse(`row ${this.row}: “${columns.withdrawn}” is no amount of two decimals`);
    if (came !== 0n && went !== 0n)
      this.#refuse(`row ${this.row} has both “${columns.paidIn}” and “${columns.withdrawn}”`);
    // Portals write outgoing amounts with or without a minus.
    return went > 0n ? -went : came + went;
  }

  #read(text: string): bigint | undefined {
    const amount = readAmount(text);
    if (amount === undefined) return undefined;
    const wrong = this.#notation.take(amount.notation, this.row);
    if (wrong !== undefined) this.#refuse(wrong);
    return amount.minor;
  }

  #time(text: string): number {
    const { completed: column } = this.format.columns;
    const time = statementTime(text);
    if (time === undefined)
      this.#refuse(
        `row ${this.row}: “${column}” is no time as 2026-11-20 14:05:09 or 20-11-2026 14:05:09`,
      );
    if (time === 'month_first')
      this.#refuse(
        `row ${this.row}: “${column}” has the month first: export it with dates as YYYY-MM-DD`,
      );
    if (this.#order !== undefined && this.#order !== time.order)
      this.#refuse(
        `row ${this.row}: its dates are of both orders, year first and day first: export it anew`,
      );
    this.#order = time.order;
    if (time.order === 'day_first') {
      if (time.monthFirstMs === undefined) this.#dayFirstProven = true;
      else if (this.#isOfDay(time.monthFirstMs) && !this.#isOfDay(time.atMs))
        this.#monthFirstMeant = true;
    }
    return time.atMs;
  }

  #isOfDay(atMs: number): boolean {
    return atMs >= this.day.fromMs && atMs < this.day.untilMs;
  }

  #refuse(why: string): never {
    throw new StatementRefused(why);
  }
}
