import { TextDecoder } from 'node:util';
import Papa from 'papaparse';
import { StatementRefused } from '#domain/reconciliation';

/** A row of the portal's is some hundred bytes: more is no row, and is never held in memory. */
const maxRowLength = 64 * 1024;

/**
 * The rows of a CSV file (RFC 4180) as its bytes stream by, some at a time, cells trimmed. Holds one chunk and one row
 * at most, whatever the file.
 * @throws StatementRefused
 */
export async function* rowsOf(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly (readonly string[])[]> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  const whole = new WholeRows();
  let read = 0;
  for await (const chunk of chunks) {
    const rows = parsed(whole.add(decoded(decoder, chunk)), read);
    if (whole.unfinished > maxRowLength)
      throw new StatementRefused(
        `row ${read + rows.length + 1} is longer than ${maxRowLength} characters: a quote that is never closed, or no statement`,
      );
    read += rows.length;
    if (rows.length > 0) yield rows;
  }
  const rows = parsed(whole.rest() + decoded(decoder), read);
  if (rows.length > 0) yield rows;
}

/** Cuts text where rows end: at line feeds that stand outside quotes. */
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

function decoded(decoder: TextDecoder, chunk?: Uint8Array): string {
  try {
    return chunk === undefined ? decoder.decode() : decoder.decode(chunk, { stream: true });
  } catch {
    throw new StatementRefused('it is no UTF-8 text: export it as CSV, not as a spreadsheet');
  }
}

/** @param before rows of the file in front of these */
function parsed(text: string, before: number): readonly (readonly string[])[] {
  if (text === '') return [];
  const unixText = text.replaceAll('\r\n', '\n').replace(/\n$/, '');
  const { data, errors } = Papa.parse<string[]>(unixText, { delimiter: ',', newline: '\n' });
  const [error] = errors;
  if (error)
    throw new StatementRefused(
      error.code === 'MissingQuotes'
        ? `row ${before + (error.row ?? 0) + 1}: a quote is never closed: is the file cut off?`
        : `row ${before + (error.row ?? 0) + 1} is no CSV: a quote stands where none may`,
    );
  for (const row of data) for (const [at, cell] of row.entries()) row[at] = cell.trim();
  return data;
}
