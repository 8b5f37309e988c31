import { isWaitingForFloat, type TransactionRow } from './fields.js';
import {
  createdOn,
  listedDay,
  narrowed,
  ofType,
  owner,
  type TransactionsPage,
  type Value,
} from './page-parts.js';

/** True for an item that needs attention: it needs approval, is under review, or waits for float (LIST-29). */
export function needsAttention(
  row: Pick<TransactionRow, 'status' | 'under_review' | 'waiting_since'>,
): boolean {
  return row.status === 'pending_approval' || row.under_review || isWaitingForFloat(row);
}

/**
 * The newest items that need attention. They are found among the open ones only: payouts that need approval, open
 * reviews, and pending payouts. So the cost depends on the work that is open, not on the history.
 */
export function needingAttention(page: TransactionsPage, value: Value): string {
  const limit = value(page.limit + 1);
  const conditions = [...owner(page, 't', value), ...filtersOf(page, value)].join(' and ');
  const payouts = [...owner(page, 'l', value), `l.kind = 'payout'`].join(' and ');
  const listed = (status: string): string => `
      (select t.position from transaction_listings l join transactions t using (position)
      where ${payouts} and l.status = '${status}' and ${conditions}
      order by l.position desc nulls last limit ${limit})`;
  return `
    with open_ones as (
      ${listed('pending_approval')}
      union
      ${listed('pending')}
      union
      (select t.position
      from reviews r
      join transactions t using (stream)
      where r.merchant_id = ${value(page.merchantId)} and r.mode = ${value(page.mode)} and ${conditions}
      order by t.position desc limit ${limit})
    )
    select t.* from open_ones join transactions t using (position)
    order by t.position desc limit ${limit}`;
}

/** The page's filters as conditions on the item `t`. */
function filtersOf(page: TransactionsPage, value: Value): readonly string[] {
  const { status, dateField, from, to } = page;
  return [
    ...narrowed(page, value),
    ...ofType(page),
    ...(status === undefined ? [] : [`t.status = ${value(status)}`]),
    ...(dateField === 'created_at' ? createdOn(page, 't', value) : []),
    ...(dateField === 'created_at' || (from === undefined && to === undefined)
      ? []
      : [onListedDays(page, listedDay[dateField], value)]),
  ];
}

function onListedDays({ from, to }: TransactionsPage, day: string, value: Value): string {
  const ranged = [
    ...(from === undefined ? [] : [`d.${day} >= ${value(from)}::date`]),
    ...(to === undefined ? [] : [`d.${day} <= ${value(to)}::date`]),
  ];
  return `exists (select from transaction_listings d where d.position = t.position and ${ranged.join(' and ')})`;
}
