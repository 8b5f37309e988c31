import { kindsOf, ofType, owner, type TransactionsPage, type Value } from './page-parts.js';

/**
 * The newest items of an account. No index has accounts: it would cost each collection a write. But the figures of days
 * say on which days an account has items, and how many. So the statement reads only the newest days that have enough
 * of them, whatever the other days contain.
 *
 * Days may overlap in positions, because a clock may go back. So it also reads every day that reaches past the first
 * position of those days.
 */
export function newestOfAccount(page: TransactionsPage, accountNo: string, value: Value): string {
  const { before } = page;
  const limit = value(page.limit + 1);
  const account = value(accountNo);
  // The day of the cursor is read, but it may have no item before the cursor.
  const whole = before === undefined ? '' : ` filter (where d.last_position < ${value(before)})`;
  return `
    with days as materialized (
      select d.day, d.first_position, d.last_position,
        coalesce(sum(f.items)${whole} over (
          order by d.last_position desc rows between unbounded preceding and 1 preceding), 0) as newer
      from (
        select day, sum(items) as items from day_figures f
        where ${figuresOf(page, account, value).join(' and ')}
        group by day
      ) f
      join transaction_days d using (day)
      where d.merchant_id = ${value(page.merchantId)} and d.mode = ${value(page.mode)}
        ${before === undefined ? '' : `and d.first_position < ${value(before)}`}
    ),
    enough as (select min(first_position) as back_to from days where newer < ${limit})
    select t.* from days
    cross join lateral (${ofDay(page, { account, limit }, value)}) t
    where days.last_position >= (select back_to from enough)
    order by t.position desc limit ${limit}`;
}

/** The figures that count what the page lists. */
function figuresOf(
  { merchantId, mode, type, status, from, to }: TransactionsPage,
  account: string,
  value: Value,
): readonly string[] {
  return [
    `f.merchant_id = ${value(merchantId)}`,
    `f.mode = ${value(mode)}`,
    `f.account_no = ${account}`,
    ...(type === undefined ? [] : [`f.type = ${value(type)}`]),
    ...(status === undefined ? [] : [`f.status = ${value(status)}`]),
    ...(from === undefined ? [] : [`f.day >= ${value(from)}::date`]),
    ...(to === undefined ? [] : [`f.day <= ${value(to)}::date`]),
  ];
}

interface Placeholders {
  readonly account: string;
  readonly limit: string;
}

/** The newest of the account's items that began on `days.day`, along the index that fits the type and the status. */
function ofDay(page: TransactionsPage, { account, limit }: Placeholders, value: Value): string {
  const { status } = page;
  const onDay = (table: string): string[] => [
    ...owner(page, table, value),
    `${table}.position between days.first_position and days.last_position`,
    't.created_on = days.day',
    `t.account_no = ${account}`,
  ];
  if (status === undefined)
    return `
      select t.* from transactions t
      where ${[...onDay('t'), ...ofType(page)].join(' and ')}
      order by t.position desc limit ${limit}`;
  return `
      select t.* from unnest(${value(kindsOf(page))}::text[]) as kinds (kind)
      cross join lateral (
        select t.* from transaction_listings l join transactions t using (position)
        where ${[...onDay('l'), `l.status = ${value(status)}`, 'l.kind = kinds.kind'].join(' and ')}
        order by l.position desc nulls last limit ${limit}
      ) t
      order by t.position desc limit ${limit}`;
}
