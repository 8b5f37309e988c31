import { type Queryable } from '#infra/postgres';
import { readFilterTotal } from '#views/day-figures';
import { type TransactionsPage, transactionTypes } from '#views/transactions';
import { type ReadBound } from '#views/view-set';
import { summedOf, type Total } from './transactions-model.js';

/**
 * The sums of everything that the filters match, from the figures of days (LIST-26): of completed items, of the status
 * that the filter names, or of all items that need attention.
 * @returns undefined if the figures of days cannot answer the filter
 */
export async function filterTotals(
  snapshot: Queryable,
  page: TransactionsPage,
  bound: ReadBound,
): Promise<readonly Total[] | undefined> {
  const summed = summedOf(page);
  const status = summed === 'needs_attention' ? {} : { status: summed };
  const totals: Total[] = [];
  for (const type of page.type === undefined ? transactionTypes : [page.type]) {
    const found = await readFilterTotal(snapshot, { ...page, type, ...status }, bound);
    if (!found) return undefined;
    for (const { currency, count, amountMinor } of found.currencies)
      totals.push({ type, status: summed, currency, count: Number(count), amountMinor });
  }
  return totals;
}

/**
 * The number of items that the filters match, whatever their status.
 * @returns undefined if the figures of days cannot answer the filter
 */
export async function filterCount(
  snapshot: Queryable,
  page: TransactionsPage,
  bound: ReadBound,
): Promise<bigint | undefined> {
  const found = await readFilterTotal(snapshot, page, bound);
  return found?.currencies.reduce((sum, { count }) => sum + count, 0n);
}
