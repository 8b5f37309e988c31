import {
  cameBy,
  kindsOf,
  type ListedDay,
  ofType,
  owner,
  type TransactionsPage,
  type Value,
} from './page-parts.js';

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

/** SQL of the first and the last position of the items that began on the page's days. */
interface Edges {
  readonly first: string;
  readonly last: string;
}

/** A position after all others. If no item began on the days of the page, all items are before them. */
const afterAllPositions = (2n ** 63n - 1n).toString();

export function edgesOf({ merchantId, mode, from, to }: TransactionsPage, value: Value): Edges {
  const days = [
    `d.merchant_id = ${value(merchantId)}`,
    `d.mode = ${value(mode)}`,
    ...(from === undefined ? [] : [`d.day >= ${value(from)}::date`]),
    ...(to === undefined ? [] : [`d.day <= ${value(to)}::date`]),
  ].join(' and ');
  const edge = (position: string): string =>
    `coalesce((select ${position} from transaction_days d where ${days}), ${afterAllPositions})`;
  return { first: edge('min(d.first_position)'), last: edge('max(d.last_position)') };
}

/** The account whose items a page lists, by which of their days, and between which positions. */
interface Listed {
  readonly accountNo: string;
  readonly day: ListedDay;
  readonly edges: Edges;
}

/**
 * The newest items of an account between two positions that were completed or paid on the days of the page. The figures
 * count an account's items by the day on which they began, and do not say how many were paid when. So the statement
 * walks those days, the newest first, and keeps the newest items. It stops once it has enough and the next day ended before
 * the last of them.
 */
export function listedOfAccount(
  page: TransactionsPage,
  { accountNo, day, edges }: Listed,
  value: Value,
): string {
  const { from, to, ...anyDay } = page;
  const { before } = page;
  const limit = value(page.limit + 1);
  const account = value(accountNo);
  const item = [
    ...owner(page, 't', value),
    't.position between greatest(d.first_position, e.first) and least(d.last_position, e.last)',
    't.created_on = d.day',
    `t.account_no = ${account}`,
    ...ofType(page),
    ...cameBy(page),
    ...(page.status === undefined ? [] : [`t.status = ${value(page.status)}`]),
  ].join(' and ');
  const isListed = [
    'l.position = t.position',
    ...(from === undefined ? [] : [`l.${day} >= ${value(from)}::date`]),
    ...(to === undefined ? [] : [`l.${day} <= ${value(to)}::date`]),
  ].join(' and ');
  // The limits and the offset keep Postgres from another order of joins, which would read all days, or all listings.
  return `
    with recursive edges as materialized (select ${edges.first} as first, ${edges.last} as last),
    days as materialized (
      select d.day, d.first_position, d.last_position,
        row_number() over (order by d.last_position desc, d.day) as number
      from (
        select distinct f.day from day_figures f
        where ${figuresOf(anyDay, account, value).join(' and ')}
      ) f
      join transaction_days d using (day)
      cross join edges e
      where d.merchant_id = ${value(page.merchantId)} and d.mode = ${value(page.mode)}
        and d.last_position >= e.first and d.first_position <= e.last
        ${before === undefined ? '' : `and d.first_position < ${value(before)}`}
    ),
    walked (number, newest) as (
      select 0::bigint, '{}'::bigint[]
      union all
      select n.number, n.newest
      from walked w
      cross join lateral (
        select d.number,
          array(
            select position from (
              select unnest(w.newest) as position
              union all
              (
                select t.position from transactions t
                cross join lateral (select 1 from transaction_listings l where ${isListed} limit 1) l
                where ${item}
                order by t.position desc limit ${limit}::int
              )
            ) found order by position desc limit ${limit}::int
          ) as newest
        from days d cross join edges e
        where d.number = w.number + 1
          and (cardinality(w.newest) < ${limit}::int or d.last_position > w.newest[${limit}::int])
        offset 0
      ) n
    )
    select t.* from (select newest from walked order by number desc limit 1) w
    cross join unnest(w.newest) as own (position)
    join transactions t using (position)
    order by t.position desc limit ${limit}`;
}
