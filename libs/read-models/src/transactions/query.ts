import { type Instant, instantFromMs, type Mode } from '#kernel';
import { type Queryable } from '#postgres';
import { ownServability, type OwnServability, requireOwnServable } from '../view-set/freshness.js';
import { type ReadBound } from '../view-set/read-bound.js';
import { itemOf, type TransactionItem } from './item.js';
import { rowFromDatabase, type StoredTransaction } from './stored.js';

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

export interface ListedTransactions {
  readonly items: readonly TransactionItem[];
  /** Where the next page begins; absent on the last one. */
  readonly next?: bigint;
  /** The position of the log that the answer reflects, and since when it was all of the log. */
  readonly position: bigint;
  readonly asOf: Instant;
}

type Row = OwnServability & { readonly ledger_position: bigint; readonly fresh_at: Date } & (
    StoredTransaction | { readonly position: null }
  );

const dayColumn = {
  created_at: 'created_on',
  completed_at: 'completed_on',
  paid_at: 'paid_on',
} as const satisfies Record<DateField, string>;

/**
 * One page, newest first by the position of the item's first event, one statement over one snapshot.
 * @throws DependencyUnavailable where the views are being built or too old
 */
export async function listTransactions(
  database: Queryable,
  page: TransactionsPage,
  bound: ReadBound,
): Promise<ListedTransactions> {
  const { text, values } = pageStatement(page);
  const rows = await database.query<Row>(text, values);
  const { ledger_position, fresh_at } = requireOwnServable(rows[0], bound);
  const found = rows.filter((row) => row.position !== null).map(rowFromDatabase);
  const shown = found.slice(0, page.limit);
  const last = found.length > page.limit ? shown.at(-1) : undefined;
  return {
    items: shown.map(itemOf),
    ...(last === undefined ? {} : { next: last.position }),
    position: ledger_position,
    asOf: instantFromMs(fresh_at.getTime()),
  };
}

/** Conditions are written only for the filters that are there, so that each shape gets its own index plan. */
function pageStatement(page: TransactionsPage): { text: string; values: unknown[] } {
  const values: unknown[] = [page.merchantId, page.mode];
  const value = (of: unknown): string => `$${values.push(of)}`;
  const conditions = ['t.merchant_id = $1', 't.mode = $2'];
  if (page.before !== undefined) conditions.push(`t.position < ${value(page.before)}`);
  if (page.type !== undefined) conditions.push(`t.type = ${value(page.type)}`);
  if (page.status !== undefined) conditions.push(`t.status = ${value(page.status)}`);
  if (page.from !== undefined || page.to !== undefined)
    conditions.push(...dayConditions(page, value));
  return {
    text: `
    select c.position as ledger_position, ${ownServability({ merchant: '$1', mode: '$2' })}, t.*
    from checkpoint c
    left join lateral (
      select * from transactions t where ${conditions.join(' and ')}
      order by t.position desc limit ${value(page.limit + 1)}
    ) t on true
    order by t.position desc`,
    values,
  };
}

/** By creation, the days' positions bound the scan: items of other days are not even looked at. */
function dayConditions(
  { from, to, dateField }: TransactionsPage,
  value: (of: unknown) => string,
): string[] {
  const range = (column: string, [low, high]: readonly (string | undefined)[]): string[] => [
    ...(low === undefined ? [] : [`${column} >= ${low}`]),
    ...(high === undefined ? [] : [`${column} <= ${high}`]),
  ];
  const days = [from, to].map((day) => (day === undefined ? undefined : `${value(day)}::date`));
  const onDays = range(`t.${dayColumn[dateField]}`, days);
  if (dateField !== 'created_at') return onDays;
  const inDays = ['d.merchant_id = $1', 'd.mode = $2', ...range('d.day', days)].join(' and ');
  const bound = (edge: string): string =>
    `(select ${edge} from transaction_days d where ${inDays})`;
  return [
    ...onDays,
    `t.position >= ${bound('min(d.first_position)')}`,
    `t.position <= ${bound('max(d.last_position)')}`,
  ];
}

const byRailReference = {
  name: 'transaction-by-rail-reference',
  text: `select stream from transactions where mode = $1 and rail_reference = $2`,
};

/** The streams of the collections that bear a rail's reference: one at most, if the rail keeps its word. */
export async function findStreamsByRailReference(
  database: Queryable,
  mode: Mode,
  railReference: string,
): Promise<string[]> {
  const rows = await database.query<{ stream: string }>(byRailReference, [mode, railReference]);
  return rows.map(({ stream }) => stream);
}

const byReceipt = {
  name: 'transaction-by-receipt',
  text: `select stream from transactions where mode = $1 and receipt = $2`,
};

/** The streams of the collections that bear a receipt of the rail. */
export async function findStreamsByReceipt(
  database: Queryable,
  mode: Mode,
  receipt: string,
): Promise<string[]> {
  const rows = await database.query<{ stream: string }>(byReceipt, [mode, receipt]);
  return rows.map(({ stream }) => stream);
}

// A look for each merchant by the streams' own index: one on references alone would cost each collection a write.
const byReference = `
  select t.stream
  from merchants m
  cross join (values ('live'), ('demo')) as modes (mode)
  join transactions t on t.stream = 'collection-' || modes.mode || ':' || m.merchant_id || ':' || $1
  order by t.position desc
  limit 20`;

/** The streams of the collections that bear a merchant's reference, of whichever merchant and mode; newest first. */
export async function findStreamsByReference(
  database: Queryable,
  reference: string,
): Promise<string[]> {
  const rows = await database.query<{ stream: string }>(byReference, [reference]);
  return rows.map(({ stream }) => stream);
}
