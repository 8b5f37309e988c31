import { type Mode } from '#domain/kernel';
import { ownServability } from '#views/view-set';
import { type TransactionItem, transactionTypes } from './fields.js';

/** Which of an item's instants a date filter looks at. */
export type DateField = 'created_at' | 'completed_at' | 'paid_at';

/** A page of a merchant's transactions; days are `YYYY-MM-DD` of the merchant's time zone, inclusive. */
export interface TransactionsPage {
  readonly merchantId: string;
  readonly mode: Mode;
  readonly type?: TransactionItem['type'];
  readonly status?: TransactionItem['status'];
  readonly dateField: DateField;
  readonly from?: string;
  readonly to?: string;
  /** Only items in front of this position's item, exclusive. */
  readonly before?: bigint;
  readonly limit: number;
}

/** Notes a value and gives its place in the statement. */
type Value = (of: unknown) => string;

/** The column of an item's listing by which a date filter goes. */
const listedDay = { completed_at: 'completed_on', paid_at: 'paid_on' } as const;

/**
 * The statement of a page, one item more than its limit. Conditions are written only for the filters that are there,
 * so that each shape has a plan along one index, whose cost does not grow with the history (docs/adr/0026).
 */
export function pageStatement(page: TransactionsPage): { text: string; values: unknown[] } {
  const values: unknown[] = [];
  const value: Value = (of) => `$${values.push(of)}`;
  const { dateField, from, to, status } = page;
  const hasDays = from !== undefined || to !== undefined;
  const items =
    hasDays && dateField !== 'created_at'
      ? ofListedDays(page, listedDay[dateField], value)
      : status === undefined
        ? newest(page, value)
        : ofStatus(page, status, value);
  const whose = { merchant: value(page.merchantId), mode: value(page.mode) };
  return {
    text: `
    select c.position as ledger_position, ${ownServability(whose)}, t.*
    from checkpoint c
    left join lateral (${items}) t on true
    order by t.position desc`,
    values,
  };
}

/** Along the order itself, whatever changed since. */
function newest(page: TransactionsPage, value: Value): string {
  const conditions = [
    ...owner(page, 't', value),
    ...(page.type === undefined ? [] : [`t.type = ${value(page.type)}`]),
    ...createdOn(page, 't', value),
  ];
  return `
    select t.* from transactions t where ${conditions.join(' and ')}
    order by t.position desc limit ${value(page.limit + 1)}`;
}

/** Of each type the newest of the status; then the newest of all. */
function ofStatus(page: TransactionsPage, status: string, value: Value): string {
  const conditions = [
    ...owner(page, 'l', value),
    `l.status = ${value(status)}`,
    'l.type = kinds.type',
    ...createdOn(page, 'l', value),
  ];
  const limit = value(page.limit + 1);
  return `
    select t.* from unnest(${value(page.type === undefined ? transactionTypes : [page.type])}::text[]) as kinds (type)
    cross join lateral (
      select t.* from transaction_listings l join transactions t using (position)
      where ${conditions.join(' and ')}
      order by l.position desc nulls last limit ${limit}
    ) t
    order by t.position desc limit ${limit}`;
}

/**
 * Items that were settled late stand anywhere in the order, so no bounds of positions hold. Within a day, a type and a
 * status the index has them in the order of the page: the groups of the range are found by one step along the index
 * each; those whose newest items are the newest give a page each, and the page is the newest of them.
 */
function ofListedDays(
  page: TransactionsPage,
  day: (typeof listedDay)[keyof typeof listedDay],
  value: Value,
): string {
  const { from, to, type, status } = page;
  const ofOwner = owner(page, 'l', value, false);
  const within = [
    ...ofOwner,
    `l.${day} is not null`,
    ...(from === undefined ? [] : [`l.${day} >= ${value(from)}::date`]),
    ...(to === undefined ? [] : [`l.${day} <= ${value(to)}::date`]),
  ].join(' and ');
  const wanted = [
    ...(type === undefined ? [] : [`g.type = ${value(type)}`]),
    ...(status === undefined ? [] : [`g.status = ${value(status)}`]),
  ];
  const inGroup = [
    ...ofOwner,
    `l.${day} = g.day`,
    'l.type = g.type',
    'l.status = g.status',
    ...(page.before === undefined ? [] : [`l.position < ${value(page.before)}`]),
  ].join(' and ');
  const limit = value(page.limit + 1);
  const step = (conditions: string): string => `
        select l.${day} as day, l.type, l.status from transaction_listings l where ${conditions}
        order by l.${day}, l.type, l.status limit 1`;
  const inOrder = (max: string): string => `
        select l.position from transaction_listings l where ${inGroup}
        order by l.position desc nulls last limit ${max}`;
  return `
    with recursive groups (day, type, status) as (
      (${step(within)})
      union all
      select n.* from groups g cross join lateral (${step(`${within} and (l.${day}, l.type, l.status) > (g.day, g.type, g.status)`)}) n
    ),
    ahead as (
      select g.*, top.position as newest from groups g cross join lateral (${inOrder('1')}) top
      ${wanted.length === 0 ? '' : `where ${wanted.join(' and ')}`}
      order by top.position desc limit ${limit}
    ),
    found as (
      select item.position from ahead g cross join lateral (${inOrder(limit)}) item
      order by item.position desc limit ${limit}
    )
    select t.* from found join transactions t using (position)`;
}

function owner(
  { merchantId, mode, before }: TransactionsPage,
  table: string,
  value: Value,
  withCursor = true,
): string[] {
  return [
    `${table}.merchant_id = ${value(merchantId)}`,
    `${table}.mode = ${value(mode)}`,
    ...(withCursor && before !== undefined ? [`${table}.position < ${value(before)}`] : []),
  ];
}

/** The days' positions bound the scan: items of other days are not even looked at (docs/adr/0009). */
function createdOn(
  { merchantId, mode, from, to }: TransactionsPage,
  table: string,
  value: Value,
): string[] {
  const ranged = (column: string): string[] => [
    ...(from === undefined ? [] : [`${column} >= ${value(from)}::date`]),
    ...(to === undefined ? [] : [`${column} <= ${value(to)}::date`]),
  ];
  const onDays = ranged('t.created_on');
  if (onDays.length === 0) return [];
  const inDays = [
    `d.merchant_id = ${value(merchantId)}`,
    `d.mode = ${value(mode)}`,
    ...ranged('d.day'),
  ].join(' and ');
  const bound = (edge: string): string =>
    `(select ${edge} from transaction_days d where ${inDays})`;
  return [
    ...onDays,
    `${table}.position >= ${bound('min(d.first_position)')}`,
    `${table}.position <= ${bound('max(d.last_position)')}`,
  ];
}
