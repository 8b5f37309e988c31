import { type Minor } from '#domain/kernel';
import { amountText, type Heading, type Line } from './heading.js';

const columns = [
  ...['date', 'recorded_at', 'position', 'type', 'reference', 'description', 'receipt'],
  ...['gross', 'fee', 'amount', 'balance', 'currency'],
] as const;

/**
 * RFC 4180, CRLF, UTF-8: a line for the opening balance, one for each entry, one for the closing balance. What a
 * spreadsheet would run as a formula is set in text by an apostrophe.
 */
export async function* writeCsv(
  heading: Heading,
  lines: AsyncIterable<Line>,
): AsyncGenerator<string, void, void> {
  const { currency, from, to, begins, ends, after, upTo } = heading;
  const amount = (minor: Minor | null): string =>
    minor === null ? '' : amountText(minor, currency);
  const balance = (type: string, minor: Minor, edge: readonly string[]): string =>
    row([...edge, type, '', '', '', '', '', '', amount(minor), currency]);
  yield row(columns);
  yield balance('opening_balance', heading.openingMinor, [from, begins, after.toString()]);
  for await (const line of lines)
    yield row([
      ...[line.day, line.recordedAt, line.position.toString(), line.kind],
      ...[text(line.reference), text(line.description), text(line.receipt ?? '')],
      ...[line.grossMinor, line.feeMinor, line.amountMinor, line.balanceMinor].map(amount),
      currency,
    ]);
  yield balance('closing_balance', heading.closingMinor, [to, ends, upTo.toString()]);
}

const formula = /^[=+\-@\t\r\n|%]/;

/** Of what others wrote: amounts are ours and begin with a minus rightly. */
function text(value: string): string {
  return formula.test(value.trimStart()) ? `'${value}` : value;
}

function row(fields: readonly string[]): string {
  const quoted = fields.map((field) =>
    /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field,
  );
  return `${quoted.join(',')}\r\n`;
}
