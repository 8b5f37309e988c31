import { type Minor } from '#domain/kernel';
import { amountText, type Heading, type Line } from './heading.js';

const columns = [
  ...['date', 'recorded_at', 'position', 'type', 'reference', 'description', 'receipt'],
  ...['gross', 'fee', 'amount', 'balance', 'currency'],
] as const;

/**
 * Writes RFC 4180, CRLF, UTF-8: a line for the opening balance, one for each entry, and one for the closing balance, or
 * for the interim balance of a day that is not over. An apostrophe makes text of a field that a spreadsheet would run
 * as a formula.
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

/** The wide forms also begin a formula under some keyboard settings. */
const formula = /^[=+\-@|%＝＋－＠]/;

/** Makes text of a formula in a value that others wrote. Amounts are ours and may begin with a minus. */
export function csvText(value: string): string {
  return formula.test(value.trimStart()) ? `'${value}` : value;
}

/**
 * Returns a line of RFC 4180 with its end. A field stays one field even if a spreadsheet reads semicolons or tabs as
 * separators.
 */
export function csvRow(fields: readonly string[]): string {
  const quoted = fields.map((field) =>
    /[",;\t\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field,
  );
  return `${quoted.join(',')}\r\n`;
}
