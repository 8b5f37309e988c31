import { type Instant, instantFromMs } from '#domain/kernel';
import { type Queryable } from '#infra/postgres';
import { type OwnServability, type ReadBound, requireOwnServable } from '#views/view-set';
import { pageStatement, type TransactionsPage } from './page-statement.js';
import { itemOf, rowFromDatabase, type StoredTransaction, type TransactionItem } from './fields.js';
import { type Position } from '#domain/event-sourcing';

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

// Days are those of each merchant's time zone, so two days before is before that day in every zone.
const selectBefore = `
  select max(last_position) as position from transaction_days where day < $1::date - 1`;

/**
 * A position of the log in front of everything that happened to collections of that day and later.
 * @param day YYYY-MM-DD
 */
export async function logBefore(database: Queryable, day: string): Promise<Position | 'start'> {
  const [row] = await database.query<{ position: bigint | null }>(selectBefore, [day]);
  return row?.position ?? 'start';
}
