import { type Minor } from '#domain/kernel';
import { amountText, type Heading, type Line } from './heading.js';

const columns = [
  ...['date', 'recorded_at', 'position', 'type', 'reference', 'description', 'receipt'],
  ...['gross', 'fee', 'amount', 'balance', 'currency'],
] as const;

/**
 * RFC 4180, CRLF, UTF-8: a line for the opening balance, one for each entry, one for the closing balance, or the interim
 * one of a day that is not over. What a spreadsheet would run as a formula is set in text by an apostrophe.
 */
export async function* writeCsv(
  heading: Heading,
  lines: AsyncIterable<Line>,
): AsyncGenerator<string, void, void> {
  const { currency, from, to, begins, ends, after, upTo } = heading;
  const amount = (minor: Minor | null): string =>
    minor === null ? '' : amountText(minor, currency);
  const balance = (type: string, minor: Minor, edge: readonly string[]): string =>
    csvRow([...edge, type, '', '', '', '', '', '', amount(minor), currency]);
  yield csvRow(columns);
  yield balance('opening_balance', heading.openingMinor, [from, begins, after.toString()]);
  for await (const line of lines)
    yield csvRow([
      ...[line.day, line.recordedAt, line.position.toString(), line.kind],
      ...[csvText(line.reference), csvText(line.description), csvText(line.receipt ?? '')],
      ...[line.grossMinor, line.feeMinor, line.amountMinor, line.balanceMinor].map(amount),
      currency,
    ]);
  const last = heading.isOver ? 'closing_balance' : 'interim_balance';
  yield balance(last, heading.closingMinor, [to, ends, upTo.toString()]);
}

/** Wide forms begin a formula, too, where the keyboard is set so. */
const formula = /^[=+\-@|%＝＋－＠]/;

/** Of what others wrote: a formula is set in text. Amounts are ours and begin with a minus rightly. */
export function csvText(value: string): string {
  return formula.test(value.trimStart()) ? `'${value}` : value;
}

/** A line of RFC 4180, its end included. A field stays one where a spreadsheet takes semicolons or tabs for commas. */
export function csvRow(fields: readonly string[]): string {
  const quoted = fields.map((field) =>
    /[",;\t\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field,
  );
  return `${quoted.join(',')}\r\n`;
}
