import Papa from 'papaparse';
import { StatementRefused } from '#domain/reconciliation';
import { textIn } from './encoding.js';
import { type Separator, separatorIn } from './separators.js';

/** A row of the portal has some hundred bytes. Anything longer is no row and is never kept in memory. */
const maxRowLength = 64 * 1024;

/** The header is one of the first rows (see `maxPreambleRows`). By then the separator is known, or is the portal's. */
const maxRowsBeforeHeader = 60;

export interface Rows {
  readonly rows: readonly (readonly string[])[];
  readonly separator: Separator;
}

/**
 * Yields the rows of a CSV file (RFC 4180) as its bytes stream by, several at a time, with trimmed cells. It keeps at
 * most one chunk and one row in memory, or some rows before the header, whatever the file's size.
 * @param first the plain name of the column that every header has
 */
export async function* rowsOf(
  chunks: AsyncIterable<Uint8Array>,
  first: string,
): AsyncGenerator<Rows> {
  const whole = new WholeRows();
  let separator: Separator | undefined;
  let [read, held] = [0, ''];
  for await (const text of textIn(chunks)) {
    held += whole.add(text);
    separator ??= separatorOf(held, first);
    const rows = separator === undefined ? [] : parsed(held, separator, read);
    if (separator !== undefined) held = '';
    if (whole.unfinished > maxRowLength)
      throw new StatementRefused(
        `row ${read + rows.length + lineFeeds(held) + 1} is longer than ${maxRowLength} characters: a quote that is never closed, or no statement`,
      );
    read += rows.length;
    if (separator !== undefined && rows.length > 0) yield { rows, separator };
  }
  const rest = held + whole.rest();
  separator ??= separatorOf(`${rest}\n`, first) ?? ',';
  const rows = parsed(rest, separator, read);
  if (read + rows.length === 0 || (read === 0 && rest.trim() === ''))
    throw new StatementRefused('the file is empty: export the statement again');
  if (rows.length > 0) yield { rows, separator };
}

/** @returns undefined while the header may still come */
function separatorOf(text: string, first: string): Separator | undefined {
  const lines = text.split('\n');
  const complete = lines.slice(0, -1);
  for (const line of complete) {
    const found = separatorIn(line, first);
    if (found !== undefined) return found;
  }
  return complete.length > maxRowsBeforeHeader ? ',' : undefined;
}

function lineFeeds(text: string): number {
  return text.split('\n').length - 1;
}

/** Cuts text at the ends of rows, the line feeds outside quotes. */
class WholeRows {
  #pending = '';
  #isQuoted = false;

  /** @returns the rows that are complete now */
  add(text: string): string {
    let cut = -1;
    for (let at = 0; ;) {
      const quote = text.indexOf('"', at);
      if (!this.#isQuoted) {
        const lineFeed = text.lastIndexOf('\n', quote === -1 ? text.length : quote);
        if (lineFeed >= at) cut = lineFeed;
      }
      if (quote === -1) break;
      this.#isQuoted = !this.#isQuoted;
      at = quote + 1;
    }
    if (cut === -1) {
      this.#pending += text;
      return '';
    }
    const complete = this.#pending + text.slice(0, cut);
    this.#pending = text.slice(cut + 1);
    return `${complete}\n`;
  }

  get unfinished(): number {
    return this.#pending.length;
  }

  rest(): string {
    return this.#pending;
  }
}

/** @param before the number of rows of the file before these */
function parsed(
  text: string,
  separator: Separator,
  before: number,
): readonly (readonly string[])[] {
  if (text === '') return [];
  const unixText = text.replaceAll('\r\n', '\n').replace(/\n$/, '');
  const { data, errors } = Papa.parse<string[]>(unixText, { delimiter: separator, newline: '\n' });
  const [error] = errors;
  if (error)
    throw new StatementRefused(
      error.code === 'MissingQuotes'
        ? `row ${before + (error.row ?? 0) + 1}: a quote is never closed: is the file cut off?`
        : `row ${before + (error.row ?? 0) + 1} is not valid CSV: a quote is in the wrong place`,
    );
  for (const row of data) for (const [at, cell] of row.entries()) row[at] = cell.trim();
  return data;
}
