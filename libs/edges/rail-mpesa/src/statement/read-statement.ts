import { type StatementLine, StatementReader, StatementRefused } from '#domain/reconciliation';
import { type Settings } from '#infra/runtime';
import { FileNotation, readAmount } from './amounts.js';
import { isCode, kindOf, partyOf, portalTime, receiptOf } from './cells.js';
import { rowsOf } from './rows.js';
import { plainName, type Separator } from './separators.js';

export interface StatementContext {
  /** The start of the day that is reconciled, in the merchant's zone. */
  readonly fromMs: number;
  readonly untilMs: number;
  /**
   * The short codes whose statement it may be; undefined allows any. A file that names no short code is allowed too.
   */
  readonly shortcodes?: readonly string[];
  /** The account that is reconciled. Customers may type it as theirs. */
  readonly accountNo?: string;
}

/** Each column's index in a row. */
type Columns = Readonly<Record<keyof typeof columnNames, number>>;

/** The names in the portal's export; the columns in `optional` may be missing. */
const columnNames = {
  receipt: 'receipt no',
  completed: 'completion time',
  status: 'transaction status',
  paidIn: 'paid in',
  withdrawn: 'withdrawn',
  code: 'a/c no',
  details: 'details',
  reason: 'reason type',
  party: 'other party info',
  linked: 'linked transaction id',
} as const;
const optional = new Set<string>(['details', 'reason', 'party', 'linked']);

/** The portal writes some ten lines above the header. */
const maxPreambleRows = 50;
/**
 * Reads an export of the M-Pesa organisation portal as it streams by (REC-9 to REC-12).
 * @throws StatementRefused, at the latest at the file's end
 */
export async function* readStatement(
  chunks: AsyncIterable<Uint8Array>,
  context: StatementContext,
): AsyncGenerator<readonly StatementLine[]> {
  const file = new StatementFile(context);
  for await (const { rows, separator } of rowsOf(chunks)) {
    file.separatedBy(separator);
    const lines = rows.flatMap((row) => file.next(row) ?? []);
    if (lines.length > 0) yield lines;
  }
  file.end();
}

/**
 * Reads statements of the organisation's portal for the short codes in the settings. A mode without a rail accepts any.
 */
export class MpesaStatements extends StatementReader {
  readonly channel = 'mpesa';

  constructor(private readonly rails: Settings['rails']['mpesa']) {
    super();
  }

  override read(
    ...[chunks, { mode, accountNo, fromMs, untilMs }]: Parameters<StatementReader['read']>
  ): AsyncGenerator<readonly StatementLine[]> {
    const rail = this.rails[mode];
    const codes = rail && [rail.shortcode, rail.till, rail.payouts?.shortcode];
    const shortcodes = codes?.filter((code) => code !== undefined);
    return readStatement(chunks, { fromMs, untilMs, accountNo, ...(shortcodes && { shortcodes }) });
  }
}

/** The state of a file that is being read. */
class StatementFile {
  /** The number of the row that was read last, from 1. */
  row = 0;
  #columns: Columns | undefined;
  #width = 0;
  #lines = 0;
  #order: 'year_first' | 'day_first' | undefined;
  /** True if some date proves that the day comes first. */
  #dayFirstProven = false;
  /** True if some date belongs to the reconciled day with the month first, but to another day with the day first. */
  #monthFirstMeant = false;
  #notation = new FileNotation(true);
  #separator: Separator = ',';
  constructor(private readonly context: StatementContext) {}

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
    this.#lines += 1;
    return this.#line(row, this.#columns);
  }

  /** @throws StatementRefused */
  end(): void {
    if (!this.#columns)
      this.#refuse(
        `no header was found: a statement has the columns ${Object.values(columnNames).join(', ')}`,
      );
    if (this.#order === 'day_first' && !this.#dayFirstProven && this.#monthFirstMeant)
      this.#refuse(
        'its dates can be read with the day or with the month first, and the day that is reconciled is there either way: export it with dates as YYYY-MM-DD',
      );
    const unproven = this.#notation.unproven();
    if (unproven !== undefined) this.#refuse(unproven);
  }

  #preamble(row: readonly string[]): void {
    const names = row.map(plainName);
    if (!names.includes(columnNames.receipt)) {
      this.#requireOwn(row);
      if (this.row > maxPreambleRows)
        this.#refuse(`none of its first ${maxPreambleRows} rows is a header with “Receipt No.”`);
      return;
    }
    const missing = Object.entries(columnNames).filter(
      ([key, name]) => !optional.has(key) && !names.includes(name),
    );
    if (missing.length > 0)
      this.#refuse(`the header lacks ${missing.map(([, name]) => `“${name}”`).join(', ')}`);
    const twice = Object.values(columnNames).find(
      (name) => names.indexOf(name) !== names.lastIndexOf(name),
    );
    if (twice !== undefined) this.#refuse(`the header has “${twice}” twice`);
    this.#width = names.length;
    this.#columns = Object.fromEntries(
      Object.entries(columnNames).map(([key, name]) => [key, names.indexOf(name)]),
    ) as Columns;
  }

  /** Refuses a statement of another short code, which the preamble names. */
  #requireOwn(row: readonly string[]): void {
    const { shortcodes } = this.context;
    const [, code] =
      /^short ?code[.:]*,*:?,*(\d{4,10})/i.exec(row.join(',').replace(/\s*:\s*/g, ':')) ?? [];
    if (shortcodes === undefined || code === undefined || shortcodes.includes(code)) return;
    this.#refuse(
      `it is the statement of short code ${code}, and this mode’s is ${shortcodes.join(' or ')}`,
    );
  }

  #line(row: readonly string[], at: Columns): StatementLine {
    const cell = (column: number): string => row[column] ?? '';
    const receipt = receiptOf(cell(at.receipt));
    if (receipt === undefined) this.#refuse(`row ${this.row}: “Receipt No.” is no receipt`);
    const atMs = this.#time(cell(at.completed));
    const amountMinor = this.#amount(cell(at.paidIn), cell(at.withdrawn));
    const completed = cell(at.status).toLowerCase() === 'completed';
    if (completed && amountMinor === 0n)
      this.#refuse(`row ${this.row} is completed and moves nothing`);
    const code = cell(at.code);
    const party = partyOf(cell(at.party));
    const linkedReceipt = receiptOf(cell(at.linked));
    return {
      line: this.row,
      receipt,
      kind: kindOf(cell(at.reason), cell(at.details), amountMinor),
      completed,
      atMs,
      ofDay: this.#isOfDay(atMs),
      amountMinor,
      ...(isCode(code) || code === this.context.accountNo ? { code } : {}),
      ...(party === undefined ? {} : { party }),
      ...(linkedReceipt === undefined ? {} : { linkedReceipt }),
    };
  }

  #amount(paidIn: string, withdrawn: string): bigint {
    const [came, went] = [this.#read(paidIn), this.#read(withdrawn)];
    if (came === undefined || came < 0n)
      this.#refuse(`row ${this.row}: “Paid In” is no amount of two decimals, 0 or more`);
    if (went === undefined)
      this.#refuse(`row ${this.row}: “Withdrawn” is no amount of two decimals`);
    if (came !== 0n && went !== 0n)
      this.#refuse(`row ${this.row} has both “Paid In” and “Withdrawn”`);
    // The portal writes outgoing amounts with or without a minus.
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
    const time = portalTime(text);
    if (time === undefined)
      this.#refuse(
        `row ${this.row}: “Completion Time” is no time as 2026-11-20 14:05:09 or 20-11-2026 14:05:09`,
      );
    if (time === 'month_first')
      this.#refuse(
        `row ${this.row}: “Completion Time” has the month first: export it with dates as YYYY-MM-DD`,
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
    return atMs >= this.context.fromMs && atMs < this.context.untilMs;
  }

  #refuse(why: string): never {
    throw new StatementRefused(why);
  }
}
