import { railAmount, type RailAmount, type RailLimits } from '#domain/rails';
import { anyPhoneIn, referencePattern } from '#domain/collections';
import { type Minor, minorFromDecimal } from '#domain/kernel';
import { parsePhone } from '#shared/signing';
import Papa from 'papaparse';

/** The same limit as for the API's batches (PAY-16). */
const maxItems = 1000;
const columns = ['reference', 'phone', 'amount'] as const;

/** One payout of a batch, as its row gives it. */
export interface BatchRow {
  readonly reference: string;
  readonly phone: string;
  readonly amountMinor: RailAmount;
}

export type RowProblem =
  'cells' | 'phone' | 'amount' | 'reference' | 'phone_in_reference' | 'repeated_reference';

/** The payouts of a file, or its errors. Rows count from 1, the header included. */
export type ReadBatch =
  | { readonly rows: readonly [BatchRow, ...BatchRow[]] }
  | { readonly wrong: 'columns' | 'empty' | 'too_many' }
  | { readonly wrongRows: readonly { readonly row: number; readonly problem: RowProblem }[] };

/**
 * Reads a CSV file with the columns reference, phone and amount, each once, in any order, and perhaps others.
 *
 * A row must have as many cells as the first: with one comma too many, half of an amount would become another amount.
 * But it may end after the last of the three columns, because Excel leaves out the commas of empty columns at the end.
 */
export function readBatch(text: string, limits: RailLimits, currency: string): ReadBatch {
  const { data } = Papa.parse<string[]>(text.replace(/^\uFEFF/, ''), { skipEmptyLines: 'greedy' });
  const [head = [], ...body] = data;
  const names = head.map((name) => name.trim().toLowerCase());
  const places = columns.map((column) => names.indexOf(column));
  if (columns.some((column) => names.filter((name) => name === column).length !== 1))
    return { wrong: 'columns' };
  if (body.length > maxItems) return { wrong: 'too_many' };
  const seen = new Set<string>();
  const rows = new Map<number, BatchRow>();
  const wrongRows: { row: number; problem: RowProblem }[] = [];
  body.forEach((cells, index) => {
    const [reference = '', phone = '', amount = ''] = places.map((at) => (cells[at] ?? '').trim());
    const isWhole = [names.length, Math.max(...places) + 1].includes(cells.length);
    const read = isWhole ? readRow({ reference, phone, amount }, limits, currency) : 'cells';
    const isRepeated = seen.has(reference);
    seen.add(reference);
    if (typeof read === 'string') wrongRows.push({ row: index + 2, problem: read });
    else if (isRepeated) wrongRows.push({ row: index + 2, problem: 'repeated_reference' });
    else rows.set(index + 2, read);
  });
  // The log keeps references for ever, so no reference may contain a number of the file.
  const holdsPhone = anyPhoneIn([...rows.values()].map(({ phone }) => phone));
  for (const [row, { reference }] of rows)
    if (holdsPhone(reference)) wrongRows.push({ row, problem: 'phone_in_reference' });
  if (wrongRows.length > 0)
    return { wrongRows: wrongRows.sort((one, other) => one.row - other.row) };
  const [first, ...others] = rows.values();
  return first ? { rows: [first, ...others] } : { wrong: 'empty' };
}

function readRow(
  typed: { readonly reference: string; readonly phone: string; readonly amount: string },
  limits: RailLimits,
  currency: string,
): BatchRow | RowProblem {
  const { reference } = typed;
  if (!referencePattern.test(reference)) return 'reference';
  // A spreadsheet writes a number without its first zero.
  const digits = typed.phone.replace(/[\s-]/g, '');
  const phone = parsePhone(/^[17]\d{8}$/.test(digits) ? `0${digits}` : digits);
  if (phone === undefined) return 'phone';
  const amount = railAmount(limits, minorTyped(typed.amount), currency);
  return amount.ok ? { reference, phone, amountMinor: amount.value } : 'amount';
}

const inThousands = /^[1-9]\d{0,2}(?:,\d{3})+(?:\.\d{1,2})?$/;

/**
 * Reads an amount as people and spreadsheets write it. Commas may only separate thousands: elsewhere a comma may be the
 * decimal point, and without it `250,00` would pay a hundred times as much.
 */
export function minorTyped(text: string): Minor | undefined {
  return minorFromDecimal(inThousands.test(text) ? text.replaceAll(',', '') : text);
}
