import { type Instant, instantFromMs } from '#domain/kernel';
import {
  ownServability,
  type OwnServability,
  type ReadBound,
  requireOwnServable,
} from '#views/view-set';
import {
  itemOf,
  phonesOf,
  rowFromDatabase,
  type StoredTransaction,
  type TransactionItem,
  type TransactionRow,
  transactionStatuses,
} from './fields.js';
import { type Queryable } from '#infra/postgres';
import { type Position } from '#domain/event-sourcing';
import { edgesOf, listedOfAccount, newestOfAccount } from './account-days.js';
import { needingAttention } from './attention.js';
import {
  createdOn,
  kindsOf,
  type ListedDay,
  listedDay,
  narrowed,
  ofType,
  owner,
  type TransactionsPage,
  type Value,
} from './page-parts.js';

export interface PageStatement {
  readonly name: string;
  readonly text: string;
  readonly values: readonly unknown[];
}

/**
 * The statement of a page, with one item more than its limit. Only the given filters become conditions, so that each
 * shape has a plan along one index, with a cost that does not grow with the history (docs/adr/0026).
 */
export function pageStatement(page: TransactionsPage): PageStatement {
  const values: unknown[] = [];
  const value: Value = (of) => `$${values.push(of)}`;
  const items = itemsStatement(page, value);
  const whose = { merchant: value(page.merchantId), mode: value(page.mode) };
  return {
    name: nameOf(page),
    text: `
    select c.position as ledger_position, ${ownServability(whose)}, t.*
    from checkpoint c
    left join lateral (${items}) t on true
    order by t.position desc`,
    values,
  };
}

/** The items of the page, along the index that fits the filters. */
function itemsStatement(page: TransactionsPage, value: Value): string {
  const { dateField, from, to, status, batch, attention, accountNo } = page;
  if (batch !== undefined) return ofBatch(page, batch, value);
  if (attention) return needingAttention(page, value);
  const hasDays = from !== undefined || to !== undefined;
  if (hasDays && dateField !== 'created_at') {
    const day = listedDay[dateField];
    return accountNo === undefined
      ? ofListedDays(page, day, value)
      : ofAccountOnListedDays(page, { accountNo, day }, value);
  }
  if (accountNo !== undefined) return newestOfAccount(page, accountNo, value);
  return status === undefined ? newest(page, value) : ofStatuses(page, [status], value);
}

/** Short words for a statement's name. */
const short = {
  collection: 'col',
  payout: 'pay',
  created_at: 'new',
  completed_at: 'done',
  paid_at: 'paid',
} as const;

/**
 * One name for each text: a connection parses and plans it once, and the plan suits every merchant. Postgres uses 63
 * characters of it, so the words are short.
 */
export function nameOf(
  {
    dateField,
    from,
    to,
    before,
    type,
    status,
    batch,
    origin,
    accountNo,
    attention,
  }: TransactionsPage,
  prefix = '',
): string {
  const filters = { from, to, before, status, batch };
  const there = Object.entries(filters).flatMap(([name, of]) => (of === undefined ? [] : [name]));
  const words = [
    ...(type === undefined ? [] : [short[type]]),
    ...(origin === undefined ? [] : [origin]),
  ];
  const more = `${attention ? 'attn' : ''}${accountNo === undefined ? '' : 'acct'}`;
  const kind = prefix === '' && more === '' ? 'transactions-page' : `${prefix}${more}`;
  return [kind, short[dateField], ...there, ...words].join(' ');
}

/** Items in the order of positions, whatever changed since. Those of one origin may be few among many others. */
export function newest(page: TransactionsPage, value: Value): string {
  if (page.origin !== undefined) return ofStatuses(page, transactionStatuses, value);
  const conditions = [...owner(page, 't', value), ...ofType(page), ...createdOn(page, 't', value)];
  return `
    select t.* from transactions t where ${conditions.join(' and ')}
    order by t.position desc limit ${value(page.limit + 1)}`;
}

/** A batch has at most a thousand payouts, so this reads all of them, whatever the other filters are. */
export function ofBatch(page: TransactionsPage, batch: string, value: Value): string {
  const { dateField, from, to, status } = page;
  const day = dateField === 'created_at' ? 't.created_on' : `l.${listedDay[dateField]}`;
  const conditions = [
    ...owner(page, 't', value),
    ...narrowed(page, value),
    `t.batch_reference = ${value(batch)}`,
    ...ofType(page),
    ...(status === undefined ? [] : [`t.status = ${value(status)}`]),
    ...(from === undefined ? [] : [`${day} >= ${value(from)}::date`]),
    ...(to === undefined ? [] : [`${day} <= ${value(to)}::date`]),
  ];
  return `
    select t.* from transactions t join transaction_listings l using (position)
    where ${conditions.join(' and ')}
    order by t.position desc limit ${value(page.limit + 1)}`;
}

/**
 * The newest items of each kind and status; then the newest of all.
 * @param more conditions on the item `t`
 */
export function ofStatuses(
  page: TransactionsPage,
  statuses: readonly string[],
  value: Value,
  more: readonly string[] = [],
): string {
  const isOne = statuses.length === 1;
  const conditions = [
    ...more,
    ...owner(page, 'l', value),
    `l.status = ${isOne ? value(statuses[0]) : 'statuses.status'}`,
    'l.kind = kinds.kind',
    ...createdOn(page, 'l', value),
  ];
  const limit = value(page.limit + 1);
  return `
    select t.* from unnest(${value(kindsOf(page))}::text[]) as kinds (kind)
    ${isOne ? '' : `cross join unnest(${value(statuses)}::text[]) as statuses (status)`}
    cross join lateral (
      select t.* from transaction_listings l join transactions t using (position)
      where ${conditions.join(' and ')}
      order by l.position desc nulls last limit ${limit}
    ) t
    order by t.position desc limit ${limit}`;
}

/**
 * An item that was settled late may be anywhere in the order, so no bounds of positions apply. Within a day, a kind and
 * a status, the index has the items in the order of the page. One step along the index finds each group of the range.
 * The groups with the newest items yield a page each, and the result is the newest items of those pages.
 * @param more conditions on an item's listing `l`
 */
export function ofListedDays(
  page: TransactionsPage,
  day: ListedDay,
  value: Value,
  more: readonly string[] = [],
): string {
  const { from, to, type, origin, status } = page;
  const ofOwner = owner(page, 'l', value, false);
  const within = [
    ...ofOwner,
    `l.${day} is not null`,
    ...(from === undefined ? [] : [`l.${day} >= ${value(from)}::date`]),
    ...(to === undefined ? [] : [`l.${day} <= ${value(to)}::date`]),
  ].join(' and ');
  const wanted = [
    ...(type === undefined && origin === undefined
      ? []
      : [`g.kind = any(${value(kindsOf(page))}::text[])`]),
    ...(status === undefined ? [] : [`g.status = ${value(status)}`]),
  ];
  const inGroup = [
    ...ofOwner,
    `l.${day} = g.day`,
    'l.kind = g.kind',
    'l.status = g.status',
    ...more,
    ...(page.before === undefined ? [] : [`l.position < ${value(page.before)}`]),
  ].join(' and ');
  const limit = value(page.limit + 1);
  const step = (conditions: string): string => `
        select l.${day} as day, l.kind, l.status from transaction_listings l where ${conditions}
        order by l.${day}, l.kind, l.status limit 1`;
  const inOrder = (max: string): string => `
        select l.position from transaction_listings l where ${inGroup}
        order by l.position desc nulls last limit ${max}`;
  return `
    with recursive groups (day, kind, status) as (
      (${step(within)})
      union all
      select n.* from groups g cross join lateral (${step(`${within} and (l.${day}, l.kind, l.status) > (g.day, g.kind, g.status)`)}) n
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

/**
 * An account's items by the day on which they were completed or paid. Nearly all of them began on the days of the page,
 * and the account's own days find them. The others began before or after: they were settled late, or the rail told of
 * them late. In all accounts together, they are few in each group of the listings.
 */
function ofAccountOnListedDays(
  page: TransactionsPage,
  { accountNo, day }: { readonly accountNo: string; readonly day: ListedDay },
  value: Value,
): string {
  const edges = edgesOf(page, value);
  const inAccount = `exists (
    select from transactions t where t.position = l.position and t.account_no = ${value(accountNo)})`;
  const outside = (bound: string): string => ofListedDays(page, day, value, [bound, inAccount]);
  return `
    select t.* from (
      select * from (${listedOfAccount(page, { accountNo, day, edges }, value)}) began_then
      union all
      select * from (${outside(`l.position < ${edges.first}`)}) began_before
      union all
      select * from (${outside(`l.position > ${edges.last}`)}) began_after
    ) t
    order by t.position desc limit ${value(page.limit + 1)}`;
}

export interface ListedTransactions {
  readonly items: readonly TransactionItem[];
  /** The masked number of each item's customer by the item's id. The API does not show it. */
  readonly phones: ReadonlyMap<string, string>;
  /** The beginning of the next page; absent on the last one. */
  readonly next?: bigint;
  /** The position of the log that the answer reflects, and the time at which it was the log's end. */
  readonly position: bigint;
  readonly asOf: Instant;
}

type Row = OwnServability & { readonly ledger_position: bigint; readonly fresh_at: Date } & (
    StoredTransaction | { readonly position: null }
  );

/**
 * One page, newest first by the position of the item's first event; one statement over one snapshot.
 * @throws DependencyUnavailable if the views are being built or too old
 */
export async function listTransactions(
  database: Queryable,
  page: TransactionsPage,
  bound: ReadBound,
): Promise<ListedTransactions> {
  const { values, ...statement } = pageStatement(page);
  const rows = await database.query<Row>(statement, values);
  const { ledger_position, fresh_at } = requireOwnServable(rows[0], bound);
  const found = rows.filter((row) => row.position !== null).map(rowFromDatabase);
  const shown = found.slice(0, page.limit);
  const last = found.length > page.limit ? shown.at(-1) : undefined;
  return {
    items: await itemsOf(database, shown),
    phones: phonesOf(shown),
    ...(last === undefined ? {} : { next: last.position }),
    position: ledger_position,
    asOf: instantFromMs(fresh_at.getTime()),
  };
}

/** The items of rows, with the payouts marked that a pause keeps from being sent. */
export async function itemsOf(
  database: Queryable,
  rows: readonly TransactionRow[],
): Promise<readonly TransactionItem[]> {
  const paused = await pausedAmong(database, rows);
  return rows.map((row) => ({
    ...itemOf(row),
    ...(paused.has(row.stream) ? { paused: true as const } : {}),
  }));
}

const selectPaused = {
  name: 'transactions-paused',
  text: `
  select o.stream from open_payouts o join transactions t on t.stream = o.stream
  where o.stream = any($1::text[]) and o.step = 'approved'
    and exists (select from payout_pauses p where p.mode = o.mode and p.merchant_id in ('', t.merchant_id))`,
};

/** The payouts among the rows that an operator's pause keeps from being sent. Most pages have none that waits to be sent. */
async function pausedAmong(
  database: Queryable,
  rows: readonly TransactionRow[],
): Promise<ReadonlySet<string>> {
  const waiting = rows.filter(({ type, status }) => type === 'payout' && status === 'pending');
  if (waiting.length === 0) return new Set();
  const streams = waiting.map(({ stream }) => stream);
  const paused = await database.query<{ stream: string }>(selectPaused, [streams]);
  return new Set(paused.map(({ stream }) => stream));
}

// One look-up for each merchant along the index of streams: an index on references alone would cost each collection a
// write.
const byReference = `
  select t.stream
  from merchants m
  cross join (values ('live'), ('demo')) as modes (mode)
  cross join (values ('collection-'), ('payout-')) as types (prefix)
  join transactions t on t.stream = types.prefix || modes.mode || ':' || m.merchant_id || ':' || $1
  order by t.position desc
  limit 20`;

/** The streams of the collections and payouts with a merchant's reference, of any merchant and mode; newest first. */
export async function findStreamsByReference(
  database: Queryable,
  reference: string,
): Promise<string[]> {
  const rows = await database.query<{ stream: string }>(byReference, [reference]);
  return rows.map(({ stream }) => stream);
}

/** The statement that finds a customer's items; its values are the digest and the limit. */
export const streamsByPhone = {
  name: 'streams-by-phone',
  // The index covers only the beginning of the digest.
  text: `
  select stream from transactions where left(phone_hmac, 7) = left($1, 7) and phone_hmac = $1
  order by position desc limit $2`,
};

/**
 * The streams of a customer's collections and payouts, of any merchant and mode; newest first.
 * @param phoneHmac the number's keyed digest (EVT-29)
 * @param limit if absent, all
 */
export async function findStreamsByPhone(
  database: Queryable,
  phoneHmac: string,
  limit?: number,
): Promise<readonly string[]> {
  const values = [phoneHmac, limit ?? null];
  const rows = await database.query<{ stream: string }>(streamsByPhone, values);
  return rows.map(({ stream }) => stream);
}

/** The facts of an item that a list of search results shows. */
export interface ItemSummary {
  readonly stream: string;
  readonly amountMinor: bigint;
  readonly currency: string;
  readonly status: string;
  readonly underReview: boolean;
  readonly createdAt: Date;
}

const summaries = {
  name: 'transaction-summaries',
  text: `
  select stream, amount_minor as "amountMinor", currency, status, under_review as "underReview",
    created_at as "createdAt"
  from transactions where stream = any($1::text[])`,
};

/** Summaries of items by their streams; an unknown stream is missing. For operators, like `merchantNames`. */
export async function itemSummaries(
  database: Queryable,
  streams: readonly string[],
): Promise<ReadonlyMap<string, ItemSummary>> {
  if (streams.length === 0) return new Map();
  const found = await database.query<ItemSummary>(summaries, [streams]);
  return new Map(found.map((each) => [each.stream, each]));
}

// Days are in each merchant's time zone, so two days before is before that day in every zone.
const selectBefore = `
  select max(last_position) as position from transaction_days where day < $1::date - 1`;

/**
 * A position of the log before every event of collections of that day and later.
 * @param day YYYY-MM-DD
 */
export async function logBefore(database: Queryable, day: string): Promise<Position | 'start'> {
  const [row] = await database.query<{ position: bigint | null }>(selectBefore, [day]);
  return row?.position ?? 'start';
}
