import { readFile } from 'node:fs/promises';
import { packageDirectory } from '#infra/runtime';
import { type Database, isUniqueViolation, plainIdentifier, type Queryable } from '#infra/postgres';

/**
 * The shape of the views that this release reads and writes: the number of its file in migrations/views. Another shape
 * is another file, with a higher number and so another schema, built next to the serving one.
 */
const viewShape = 19;

/** The schema in a connection's search_path; the statements of the views name none. */
export function viewSchema(shape: number = viewShape): string {
  return plainIdentifier(`views_${String(shape)}`);
}

/** Only one projector at a time creates the schema; the others wait and find it done. */
const creationLock = 7_265_002;

function readTables(): Promise<string> {
  const file = `${String(viewShape).padStart(4, '0')}.sql`;
  return readFile(packageDirectory('migrations', 'views', file), 'utf8');
}

/** Indexes for listing large tables, which are not needed while a set is filled. */
const deferred =
  /^create index (\w+)\s+on (?:transactions|transaction_listings|ledger_entries) (?:(?!is null)[^;])*;$/gm;
/** Keys of large tables that are only appended to, and never searched, while a set is filled. */
const deferredKeys =
  /^(create table (ledger_entries|webhook_events|receipts|rail_references) \((?:(?!^\);$)[^])*?),\n {2}primary key \(([^)]*)\)\n\);$/gm;
/** All columns of these tables are key, and the filling process may write a row twice. */
const mayRepeat = ['receipts', 'rail_references'];

/**
 * Adds the keys and indexes that a set made without them lacks, two at a time, and analyzes the tables: without that,
 * Postgres would plan for empty ones.
 */
export async function completeViews(database: Database, schema: string): Promise<void> {
  const name = plainIdentifier(schema);
  const text = await readTables();
  const steps = [
    ...[...text.matchAll(deferredKeys)].map(
      ([, , table = '', columns = '']) =>
        (transaction: Queryable) =>
          addKey(transaction, table, columns),
    ),
    ...[...text.matchAll(deferred)].map(([statement]) => async (transaction: Queryable) => {
      await transaction.query(statement.replace('create index', 'create index if not exists'));
    }),
  ];
  await twoAtATime(steps, (step) =>
    database.transaction(
      async (transaction) => {
        await transaction.query(`set local search_path to ${name}`);
        await transaction.query(`set local maintenance_work_mem = '256MB'`);
        // If wal_level is minimal, a small index is synced as well, and not written to the WAL first.
        await transaction.query('set local wal_skip_threshold = 0');
        await step(transaction);
      },
      { statementTimeoutMs: longestMs },
    ),
  );
  const tables = await database.query<{ name: string }>(
    `select relname::text as name from pg_class
      where relkind = 'r' and relnamespace = $1::regnamespace and pg_relation_size(oid) > 0`,
    [name],
  );
  await twoAtATime(tables, (table) =>
    database.transaction(
      async (transaction) => {
        // Enough for its plans; autovacuum analyzes more thoroughly soon.
        await transaction.query('set local default_statistics_target = 20');
        await transaction.query(`analyze ${name}.${plainIdentifier(table.name)}`);
      },
      { statementTimeoutMs: longestMs },
    ),
  );
}

async function twoAtATime<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  const left = [...all].reverse();
  const worker = async (): Promise<void> => {
    for (let next = left.pop(); next !== undefined; next = left.pop()) await work(next);
  };
  await Promise.all([worker(), worker()]);
}

const hasKey = `select 1 from pg_constraint where conrelid = $1::regclass and contype = 'p'`;

/** Runs within the set's search_path. */
async function addKey(transaction: Queryable, table: string, columns: string): Promise<void> {
  const [existing] = await transaction.query(hasKey, [table]);
  if (existing) return;
  const add = `alter table ${table} add primary key (${columns})`;
  if (!mayRepeat.includes(table)) {
    await transaction.query(add);
    return;
  }
  await transaction.query('savepoint unique_rows');
  try {
    await transaction.query(add);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    await transaction.query('rollback to savepoint unique_rows');
    await transaction.query(`
      delete from ${table} where ctid in (
        select ctid from (select ctid, row_number() over (partition by ${columns}) as copy from ${table}) rows
        where copy > 1)`);
    await transaction.query(add);
  }
}

/** Timeout of statements that read or sort tables of a hundred million rows. */
const longestMs = 24 * 3_600_000;

/**
 * Creates the views' schema if it is missing. The database's search_path does not matter here.
 * @param isToBeFilled true if it is made without the keys and indexes that `completeViews` adds
 */
export async function createViews(
  database: Database,
  schema: string,
  isToBeFilled = false,
): Promise<void> {
  const name = plainIdentifier(schema);
  const all = await readTables();
  const tables = isToBeFilled
    ? all.replaceAll(deferred, '').replaceAll(deferredKeys, '$1\n);')
    : all;
  await database.transaction(async (transaction) => {
    await transaction.query('select pg_advisory_xact_lock($1)', [creationLock]);
    const [existing] = await transaction.query('select 1 from pg_namespace where nspname = $1', [
      name,
    ]);
    if (existing) return;
    await transaction.query(`create schema ${name}`);
    await transaction.query(`set local search_path to ${name}`);
    await transaction.query(tables);
  });
}
