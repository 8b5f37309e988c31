import { type WallClock } from '../../page/list-parts.js';
import { amountText, csvRow, csvText } from '#shared/statements';
import { dayAt } from '#infra/runtime';
import { msFromInstant } from '#domain/kernel';
import { type TransactionItem } from '#views/transactions';
import { chargedFee } from './item-fee.js';
import { asOfText, type ListQuery } from './list-query.js';

const columns = [
  ...['date', 'type', 'reference', 'status', 'under_review', 'amount', 'fee', 'currency'],
  ...['account_no', 'receipt', 'failure_code', 'batch', 'created_at', 'completed_at', 'paid_at'],
  ...['refund_status', 'refunded', 'refund_of'],
] as const;

/**
 * The list as CSV (RFC 4180, CRLF, UTF-8), the newest first. An apostrophe makes text of a value that a spreadsheet
 * would run as a formula.
 * @param timezone the merchant's; `date` is a day of it, and the instants are UTC
 */
export async function* transactionsAsCsv(
  items: AsyncIterable<TransactionItem>,
  { timezone }: Pick<WallClock, 'timezone'>,
): AsyncGenerator<string, void, void> {
  yield csvRow(columns);
  for await (const item of items) {
    const fee = chargedFee(item);
    yield csvRow([
      ...[dayAt(msFromInstant(item.created_at), timezone), item.type, csvText(item.reference)],
      ...[item.status, item.under_review ? 'yes' : 'no'],
      amountText(item.amount_minor, item.currency),
      fee === undefined ? '' : amountText(fee, item.currency),
      ...[item.currency, item.account_no, csvText(item.receipt ?? ''), item.failure_code ?? ''],
      ...[csvText(item.batch ?? ''), item.created_at, item.completed_at ?? '', item.paid_at ?? ''],
      item.refund_status ?? '',
      item.refunded_minor === undefined ? '' : amountText(item.refunded_minor, item.currency),
      csvText(item.refund_of ?? ''),
    ]);
  }
}

/** The file's name with the filters' days: `transactions-2026-11-01-2026-11-30.csv`. */
export function fileNameOf(query: ListQuery): string {
  const { type, status, attention, account, from, to, at } = query;
  const days = from === undefined && to === undefined ? [] : [from ?? 'first', to ?? 'last'];
  const past = at === undefined ? [] : ['as-of', asOfText(at)];
  const kind = [type, attention && 'needs-attention', status?.replaceAll('_', '-'), account];
  const name = ['transactions', ...kind, ...days, ...past];
  return `${name.filter((part) => part !== undefined).join('-')}.csv`;
}
