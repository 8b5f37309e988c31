import { type RecordsTable } from '#domain/drills';
import { type Database, plainIdentifier, type Queryable } from '#infra/postgres';
import { DrillRefused } from './drill-refused.js';
import { latestAt, ownTables } from './record-tables.js';

/** The serving database and the copy. */
export interface Pair {
  readonly serving: Database;
  readonly copy: Database;
}

interface Table {
  readonly name: string;
  readonly key: readonly string[];
}

/** The number of parts that keys are divided into. The drill compares rows only in parts that differ. */
const parts = 1024;
/** Maximum number of differing parts in which rows are compared: a sixteenth of a table. */
const maxParts = 64;
/** After this time, a transaction that was open when the backup began is over. */
const settledMs = 60_000;
/** The drill reads whole tables, which may have a hundred million rows. */
const longestMs = 24 * 3_600_000;

/** Makes the same row the same text in both databases, whatever their settings. */
const plainText = `set local timezone = 'UTC'; set local datestyle = 'ISO, YMD'; set local extra_float_digits = 1;
  set local bytea_output = 'hex'; set local intervalstyle = 'iso_8601'`;

/** Runs statements on one snapshot, with the same text format in both databases and no short timeout. */
export function onSnapshot<T>(
  database: Database,
  work: (snapshot: Queryable) => Promise<T>,
): Promise<T> {
  return database.transaction(
    async (snapshot) => {
      await snapshot.query(plainText);
      return work(snapshot);
    },
    { isolation: 'repeatable read', readOnly: true, statementTimeoutMs: longestMs },
  );
}

const tablesOf = `
  select c.relname::text as name,
    array(select a.attname::text from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
      where i.indrelid = c.oid and i.indisprimary order by a.attnum) as key
  from pg_class c where c.relnamespace = 'records'::regnamespace and c.relkind = 'r' order by c.relname`;

/** The tables of the records that a backup must contain. */
export async function recordTables(database: Queryable): Promise<readonly Table[]> {
  const tables = await database.query<Table>(tablesOf);
  return tables.filter(({ name }) => !ownTables.has(name));
}

/** The worker's lease of a whole day. Its end says nothing about when the backup was made. */
const leaseOfDay = 'webhook-summary';

/**
 * Returns the newest moment that a row of the copy contains, in milliseconds by the clock of the records.
 * @param ignoredLease the lease of this command itself
 * @throws DrillRefused if no row contains one
 */
export async function reachOf(copy: Database, ignoredLease: string): Promise<number> {
  const looks = (await recordTables(copy)).flatMap(({ name }) => {
    const at = latestAt[name];
    // An expression gives a later time than the row's own.
    return at && /^[a-z_]+$/.test(at) ? [`select max(${at}) as at from records.${name}`] : [];
  });
  const leases = `select max(expires_at) + (records.now_() - clock_timestamp()) from records.leases
    where expires_at > '-infinity' and not name = any ($1)`;
  const [row] = await onSnapshot(copy, (snapshot) =>
    snapshot.query<{ at: Date | null }>(
      `select coalesce(least(max(at), records.now_()), (select max(applied_at) from records.migrations)) as at
       from (${[...looks, leases].join(' union all ')}) told`,
      [[ignoredLease, leaseOfDay]],
    ),
  );
  if (!row?.at) throw new DrillRefused('the copy’s records are empty: restore the backup into it');
  return row.at.getTime();
}

/**
 * Counts the rows of the serving database that the copy lacks, by table: rows that it must have, and newer rows. Rows
 * that the serving database deleted meanwhile are not counted.
 */
export async function compareRecords(
  { serving, copy }: Pair,
  reachesToMs: number,
  onTable: (table: string) => void,
): Promise<readonly RecordsTable[]> {
  const settledTo = new Date(reachesToMs - settledMs);
  const compared: RecordsTable[] = [];
  for (const table of await recordTables(serving)) {
    onTable(table.name);
    const at = latestAt[table.name] ?? null;
    const theirs = await countOf(serving, table, { at, settledTo });
    const ours = await countOf(copy, table, { at, settledTo });
    const { missing, areMore } = at
      ? await missingRows({ serving, copy }, table, { at, settledTo, from: theirs.oldest })
      : { missing: 0, areMore: false };
    const newer = at ? theirs.newer - ours.newer : theirs.rows - ours.rows;
    compared.push({
      table: table.name,
      rows: ours.rows,
      newer: Math.max(0, newer),
      missing,
      areMore,
    });
  }
  return compared;
}

interface Settled {
  readonly at: string;
  readonly settledTo: Date;
}

async function countOf(
  database: Database,
  { name }: Table,
  { at, settledTo }: { readonly at: string | null; readonly settledTo: Date },
): Promise<{ readonly rows: number; readonly newer: number; readonly oldest: Date | null }> {
  const time = `(${at ?? 'null'})::timestamptz`;
  const [row] = await onSnapshot(database, (snapshot) =>
    snapshot.query<{ rows: number; newer: number; oldest: Date | null }>(
      `select count(*)::float8 as rows, count(*) filter (where ${time} > $1)::float8 as newer, min(${time}) as oldest
       from records.${plainIdentifier(name)}`,
      [settledTo],
    ),
  );
  if (!row) throw new TypeError(`${name} was not counted`);
  return row;
}

/** Counts settled rows of the serving database whose keys the copy does not have. */
async function missingRows(
  { serving, copy }: Pair,
  table: Table,
  { from, ...settled }: Settled & { readonly from: Date | null },
): Promise<{ readonly missing: number; readonly areMore: boolean }> {
  if (!from || from > settled.settledTo) return { missing: 0, areMore: false };
  const bounds = [settled.settledTo, from] as const;
  const theirs = await partsOf(serving, table, settled.at, bounds);
  const ours = await partsOf(copy, table, settled.at, bounds);
  const differing = [...theirs].filter(([part, sum]) => ours.get(part) !== sum);
  const looked = differing.slice(0, maxParts).map(([part]) => part);
  if (looked.length === 0) return { missing: 0, areMore: false };
  const there = await keysOf(serving, table, settled.at, [...bounds, looked]);
  const here = await keysOf(copy, table, settled.at, [...bounds, looked]);
  const missing = [...there].filter((key) => !here.has(key)).length;
  return { missing, areMore: missing > 0 && differing.length > looked.length };
}

const hashOf = (key: readonly string[], seed: number): string =>
  `hashtextextended(row(${key.map(plainIdentifier).join(', ')})::text, ${seed})`;
const partOf = (key: readonly string[]): string => `(${hashOf(key, 1)} & ${parts - 1})`;
const settledRows = (name: string, at: string): string =>
  `records.${plainIdentifier(name)} where (${at})::timestamptz between $2 and $1`;

async function partsOf(
  database: Database,
  { name, key }: Table,
  at: string,
  bounds: readonly [Date, Date],
): Promise<ReadonlyMap<bigint, string>> {
  const rows = await onSnapshot(database, (snapshot) =>
    snapshot.query<{ part: bigint; sum: string }>(
      `select ${partOf(key)} as part, count(*) || ' ' || sum(${hashOf(key, 0)}) as sum
       from ${settledRows(name, at)} group by 1 order by 1`,
      bounds,
    ),
  );
  return new Map(rows.map(({ part, sum }) => [part, sum]));
}

/** Returns hashes of the keys: some keys are digests of secret values. */
async function keysOf(
  database: Database,
  { name, key }: Table,
  at: string,
  values: readonly [Date, Date, readonly bigint[]],
): Promise<ReadonlySet<bigint>> {
  const rows = await onSnapshot(database, (snapshot) =>
    snapshot.query<{ hash: bigint }>(
      `select ${hashOf(key, 0)} as hash from ${settledRows(name, at)} and ${partOf(key)} = any($3::int8[])`,
      values,
    ),
  );
  return new Set(rows.map(({ hash }) => hash));
}
