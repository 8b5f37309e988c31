import { type RecordedEvent } from '#domain/event-sourcing';
import { isAskedAbout, mayStillBePaid } from '#views/rail-queries';
import { causeOf, type ReviewCause } from '#views/reviews';
import {
  hasTrait,
  type ItemEvent,
  projectTransaction,
  transactionColumns,
  type TransactionRow,
} from '#views/transactions';
import { type Difference, type Differences } from './difference.js';
import { field, fieldEnd, fieldsOf, instantOf, lineOf } from './stored-lines.js';

/** The state in the views of a collection, folded from its events so far. */
export interface Folded {
  readonly row: TransactionRow;
  readonly revision: bigint;
  /** The last event that put it under review. */
  readonly flagged?: { readonly why: ReviewCause; readonly event: RecordedEvent };
}

export function fold(folded: Folded | undefined, event: RecordedEvent<ItemEvent>): Folded {
  const row = projectTransaction(folded?.row, event);
  const why = causeOf(event);
  const flagged = why === undefined ? folded?.flagged : { why, event };
  return { row, revision: event.revision, ...(flagged === undefined ? {} : { flagged }) };
}

/** A compared field: its table and column, its SQL, and its value by the log. */
interface Column {
  readonly table: string;
  readonly name: string;
  readonly sql: string;
  readonly expected: (of: Folded) => string | null;
}

const transactions = (name: keyof TransactionRow): Column => ({
  table: 'transactions',
  name,
  sql: hasTrait(name, 'instant') ? instantOf(`t.${name}`) : `t.${name}`,
  expected: ({ row: { [name]: value } }) => (value === null ? null : String(value)),
});

/** These change most, so that most differing lines differ at once. */
const firstCompared = ['status', 'rail_reference'] as const;
/** The beginning of every line, which is not compared. */
const lineKey = 'position';
const otherCompared = transactionColumns.filter(
  (name) => ![lineKey, ...firstCompared].includes(name),
);

/** The columns by which the list's filters find the row. */
const listing = (name: 'merchant_id' | 'mode' | 'status'): Column => ({
  table: 'transaction_listings',
  name,
  sql: `l.${name}`,
  expected: ({ row }) => row[name],
});

/** A day is derived from an instant, which is compared with the log, by the same SQL that wrote it. */
function day(column: string, instant: string): Column {
  const [alias = '', name = ''] = column.split('.');
  const table = alias === 't' ? 'transactions' : 'transaction_listings';
  const derived = `(${instant} at time zone m.timezone)::date`;
  const sql = `case when ${alias}.position is not null and ${column} is distinct from ${derived}
    then coalesce(${column}::text, 'none') || ' instead of ' || coalesce(${derived}::text, 'none') end`;
  return { table, name, sql, expected: () => null };
}

/** The days of an item's earlier times of payment, which are compared with the log, by the SQL that wrote them. */
function daysLeft(): Column {
  const found = `(select string_agg(d.day::text, ',' order by d.day) from paid_days_left d
    where d.position = t.position and d.merchant_id = t.merchant_id and d.mode = t.mode)`;
  const derived = `(select string_agg(distinct (at::timestamptz at time zone m.timezone)::date::text, ',')
    from regexp_split_to_table(t.paid_before, ',') at where pg_input_is_valid(at, 'timestamptz'))`;
  const sql = `case when ${found} is distinct from ${derived}
    then coalesce(${found}, 'none') || ' instead of ' || coalesce(${derived}, 'none') end`;
  return { table: 'transactions', name: 'paid_days_left', sql, expected: () => null };
}

/** The tables that look up the rail's identifiers; absent if the row has none, or if its own is missing. */
const identifier = (name: 'rail_reference' | 'receipt', table: string): Column => ({
  table,
  name,
  sql: `(select i.${name} from ${table} i
    where i.mode = t.mode and i.${name} = t.${name} and i.position = t.position)`,
  expected: ({ row }) => row[name],
});

/** Present exactly if the rail is asked about the collection. */
const railQuery = (
  name: string,
  expected: (row: TransactionRow) => string | null,
  sql = `q.${name}`,
): Column => ({
  table: 'rail_queries',
  name,
  sql,
  expected: ({ row }) => (row.type === 'collection' && isAskedAbout(row) ? expected(row) : null),
});

/** Present exactly if the collection is under review. */
const review = (
  name: string,
  expected: (row: TransactionRow, flagged: NonNullable<Folded['flagged']>) => string,
  sql = `r.${name}`,
): Column => ({
  table: 'reviews',
  name,
  sql,
  expected: ({ row, flagged }) => (row.under_review && flagged ? expected(row, flagged) : null),
});

const columns: readonly Column[] = [
  ...[...firstCompared, ...otherCompared].map(transactions),
  day('t.created_on', 't.created_at'),
  listing('merchant_id'),
  listing('mode'),
  {
    table: 'transaction_listings',
    name: 'kind',
    sql: 'l.kind',
    expected: ({ row }) => row.came_by ?? row.type,
  },
  listing('status'),
  day('l.completed_on', 't.completed_at'),
  day('l.paid_on', 'coalesce(t.paid_at, t.posted_at)'),
  daysLeft(),
  identifier('rail_reference', 'rail_references'),
  identifier('receipt', 'receipts'),
  railQuery('channel', ({ channel }) => channel),
  railQuery('mode', ({ mode }) => mode),
  railQuery('rail_reference', ({ rail_reference }) => rail_reference),
  railQuery('declined', (row) => String(mayStillBePaid(row))),
  railQuery('intent_at', ({ created_at }) => created_at, instantOf('q.intent_at')),
  review('merchant_id', ({ merchant_id }) => merchant_id),
  review('mode', ({ mode }) => mode),
  review('reference', ({ reference }) => reference),
  review('why', (_row, { why }) => why),
  review('flagged_at', (_row, { event }) => event.recordedAt, instantOf('r.flagged_at')),
  review('position', (_row, { event }) => event.position.toString()),
];

/**
 * The listing is found by its key, row by row: without the limit, which has no other effect on a key, Postgres merges the
 * tables, and reads all listings before the page for each page.
 */
const from = `
  from transactions t
  left join merchants m on m.merchant_id = t.merchant_id
  left join lateral (select * from transaction_listings where position = t.position limit 1) l on true
  left join rail_queries q on q.stream = t.stream
  left join reviews r on r.stream = t.stream`;
const line = lineOf(['t.position', ...columns.map(({ sql }) => sql)]);

/** The rows after a position, up to another. */
export const listLines = `
  select ${line} ${from} where t.position > $1 and t.position <= $2 order by t.position`;
/** Rows that no event can have produced yet. */
export const listLinesBeyond = `
  select ${line} ${from}
  where t.position > $1 and t.position > (select position from checkpoint) order by t.position`;
export const listLinesAt = `
  select t.position::text as position, ${line} ${from} where t.position = any($1)`;

/** True if the line matches the log so far. */
export function agrees(folded: Folded, stored: string): boolean {
  const { position, status } = folded.row;
  return (
    stored.startsWith(`${position}${fieldEnd}${status}${fieldEnd}`) && stored === lineFrom(folded)
  );
}

function lineFrom(folded: Folded): string {
  const fields = columns.map(({ expected }) => field(expected(folded)));
  return `${folded.row.position}${fieldEnd}${fields.join(fieldEnd)}`;
}

const comparedTables = new Set(columns.map(({ table }) => table));

/** Reports the fields that differ. If a row that depends on the list's row is missing or in excess, reports the row. */
export function nameFields(folded: Folded, stored: string, differences: Differences): void {
  const { position, stream, account_no } = folded.row;
  const where = { position: position.toString(), stream, account: `wallet:${account_no}` };
  const found = fieldsOf(stored).slice(1);
  const compared = columns.map(({ table, name, expected: byLog }, index) => ({
    table,
    field: name,
    expected: byLog(folded),
    found: found[index] ?? null,
  }));
  for (const table of comparedTables) {
    const fields = compared.filter((column) => column.table === table);
    const expected = isThere(fields.map((column) => column.expected));
    const isFound = isThere(fields.map((column) => column.found));
    if (expected !== isFound) differences.add({ table, ...where, ...rowOf(expected) });
    else
      for (const column of fields)
        if (column.expected !== column.found) differences.add({ ...column, ...where });
  }
}

const isThere = (values: readonly (string | null)[]): boolean =>
  values.some((value) => value !== null);

function rowOf(isExpected: boolean): Pick<Difference, 'field' | 'expected' | 'found'> {
  const [expected, found] = isExpected ? ['a row', null] : [null, 'a row'];
  return { field: 'row', expected, found };
}

/** Reports a row of the list that the log requires and that does not exist. */
export function nameMissing(
  { position, stream }: { readonly position: bigint; readonly stream: string },
  differences: Differences,
): void {
  const where = { table: 'transactions', position: position.toString(), stream };
  differences.add({ ...where, field: 'row', expected: 'a row', found: null });
}

/** Reports a row of the list for which the log has no intent. */
export function nameExtra(stored: string, differences: Differences): void {
  const fields = fieldsOf(stored);
  const [position, ...found] = fields;
  const stream = found[columns.findIndex(({ name }) => name === 'stream')] ?? '';
  const where = { table: 'transactions', position: position ?? '', stream };
  differences.add({ ...where, field: 'row', expected: null, found: found[0] ?? null });
}
