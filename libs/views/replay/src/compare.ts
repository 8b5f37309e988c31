import { plainIdentifier, type Queryable } from '#infra/postgres';
import { hasTable } from './sets.js';

/** The comparison of one table in two sets of views. */
export interface TableComparison {
  readonly table: string;
  readonly rows: readonly [serving: bigint, other: bigint];
  readonly checksums: readonly [serving: string, other: string];
}

/** A row of one set that is missing or different in the other. */
export interface RowDifference {
  readonly table: string;
  /** The primary key's columns. */
  readonly key: Readonly<Record<string, string | null>>;
  /** `row` if one side has none. */
  readonly field: string;
  /** As text; null if there is none. */
  readonly serving: string | null;
  readonly other: string | null;
}

export interface Comparison {
  readonly tables: readonly TableComparison[];
  /** The number of rows that differ. */
  readonly differences: number;
  /** True if there are more than were looked for. */
  readonly areMore: boolean;
  readonly named: readonly RowDifference[];
}

/** Columns about the time and the process of maintaining a set, which are not compared. */
const columnsOf: Readonly<Record<string, readonly string[]>> = {
  checkpoint: ['position', 'stream', 'revision', 'event_id', 'quarantined'],
  quarantines: ['merchant_id', 'scope', 'position', 'stream', 'type', 'event_id'],
};

/** The number of parts that keys are divided into. Rows are compared only in parts with different sums. */
const parts = 4096;
/** Maximum number of differing parts in which rows are compared. */
const maxParts = 256;

interface Table {
  readonly name: string;
  readonly key: readonly string[];
  readonly columns: readonly string[];
}

interface Sets {
  readonly serving: string;
  readonly other: string;
}

const tables = `
  select c.relname as name,
    array(select a.attname::text from pg_attribute a
      where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped order by a.attnum) as columns,
    array(select a.attname::text from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
      where i.indrelid = c.oid and i.indisprimary order by a.attnum) as key
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = $1 and c.relkind = 'r' order by c.relname`;

/**
 * Compares two sets of views table by table, by checksums that do not depend on the order of rows, and names the rows
 * that differ. Both sets must be at one position, in one snapshot.
 * @param onTable called for each table before it is read
 */
export async function compareSets(
  snapshot: Queryable,
  sets: Sets,
  { maxNamed, onTable }: { readonly maxNamed: number; readonly onTable?: (table: string) => void },
): Promise<Comparison> {
  const compared: TableComparison[] = [];
  const named: RowDifference[] = [];
  let [differences, areMore] = [0, false];
  const ignored = await unlinkedColumns(snapshot, sets);
  for (const found of await snapshot.query<Table>(tables, [sets.other])) {
    onTable?.(found.name);
    if (!(await hasTable(snapshot, sets.serving, found.name))) {
      const missing = { table: found.name, key: {}, field: 'table' };
      named.push({ ...missing, serving: null, other: 'a table' });
      differences += 1;
      continue;
    }
    const columns = columnsOf[found.name] ?? found.columns;
    const table = { ...found, columns: columns.filter((column) => !ignored.includes(column)) };
    const one = await checksumsOf(snapshot, sets, table);
    compared.push(one);
    if (one.checksums[0] === one.checksums[1] && one.rows[0] === one.rows[1]) continue;
    const rows = await differingRows(snapshot, sets, table, maxNamed - named.length);
    differences += rows.count;
    areMore ||= rows.areMore;
    named.push(...rows.named.slice(0, maxNamed - named.length));
  }
  return { tables: compared, differences, areMore, named };
}

/** A table of one set, with its sum. */
export interface TableSum {
  readonly table: string;
  readonly rows: bigint;
  /** Independent of the order of rows. */
  readonly checksum: string;
}

/**
 * Sums each table of one set, for comparison with a set in another database at the same position.
 * @param snapshot both of them write rows as text in the same way: time zone and styles of dates
 */
export async function sumsOfSet(
  snapshot: Queryable,
  schema: string,
  {
    isUnlinked,
    onTable,
  }: { readonly isUnlinked: boolean; readonly onTable?: (table: string) => void },
): Promise<readonly TableSum[]> {
  const sums: TableSum[] = [];
  for (const { name, columns, key } of await snapshot.query<Table>(tables, [schema])) {
    onTable?.(name);
    const compared = columnsOf[name] ?? columns;
    const linked = isUnlinked ? compared.filter((column) => column !== 'link') : compared;
    const table = { name, key, columns: linked };
    const { rows, sum } = await sumOf(snapshot, schema, table);
    sums.push({ table: name, rows, checksum: sum });
  }
  return sums;
}

/**
 * During a quarantine, the entries that wait for links depend on the batches' boundaries. Afterwards, they are the same
 * in any set.
 */
async function unlinkedColumns(
  snapshot: Queryable,
  { serving, other }: Sets,
): Promise<readonly string[]> {
  const [row] = await snapshot.query<{ unlinked: boolean }>(
    `select (select unlinked from ${serving}.checkpoint) or (select unlinked from ${other}.checkpoint) as unlinked`,
  );
  return row?.unlinked === true ? ['link'] : [];
}

async function checksumsOf(
  snapshot: Queryable,
  { serving, other }: Sets,
  table: Table,
): Promise<TableComparison> {
  const one = await sumOf(snapshot, serving, table);
  const two = await sumOf(snapshot, other, table);
  return { table: table.name, rows: [one.rows, two.rows], checksums: [one.sum, two.sum] };
}

async function sumOf(
  snapshot: Queryable,
  schema: string,
  { name, columns }: Table,
): Promise<{ readonly rows: bigint; readonly sum: string }> {
  const [row] = await snapshot.query<{ rows: bigint; sum: string }>(
    `select count(*) as rows, coalesce(sum(hashtextextended(${textOf(columns)}, 0)), 0)::text as sum
     from ${schema}.${plainIdentifier(name)}`,
  );
  if (!row) throw new TypeError(`no sums of ${name}`);
  return row;
}

/** Rows as text: equal rows are equal byte for byte. */
function textOf(columns: readonly string[]): string {
  return `row(${columns.map(plainIdentifier).join(', ')})::text`;
}

async function differingRows(
  snapshot: Queryable,
  { serving, other }: Sets,
  { name, key, columns }: Table,
  maxNamed: number,
): Promise<{ count: number; areMore: boolean; named: readonly RowDifference[] }> {
  const part = `(hashtextextended(${textOf(key)}, 1) & ${parts - 1})`;
  const sumsOf = (schema: string) => `
    select ${part} as part, count(*) as rows, sum(hashtextextended(${textOf(columns)}, 0)) as sum
    from ${schema}.${plainIdentifier(name)} group by 1`;
  const differing = await snapshot.query<{ part: bigint }>(`
    select part from (${sumsOf(serving)}) s full join (${sumsOf(other)}) o using (part)
    where (s.rows, s.sum) is distinct from (o.rows, o.sum) order by part limit ${maxParts + 1}`);
  const looked = differing.slice(0, maxParts).map((row) => row.part);
  // The checkpoint's key is not compared.
  const read = [...new Set([...key, ...columns])];
  const rowsOf = (schema: string) => `
    select ${key.join(', ')}, json_object(array[${columns.map((c) => `'${c}'`).join(', ')}],
      array[${columns.map((c) => `${c}::text`).join(', ')}]) as row_as, ${textOf(columns)} as text_of
    from (select ${read.join(', ')} from ${schema}.${plainIdentifier(name)} where ${part} = any($1)) row_of`;
  const found = await snapshot.query<{ s: JsonRow | null; o: JsonRow | null; count: number }>(
    `select s.row_as as s, o.row_as as o, count(*) over ()::float8 as count
     from (${rowsOf(serving)}) s full join (${rowsOf(other)}) o using (${key.join(', ')})
     where s.text_of is distinct from o.text_of
     order by ${key.join(', ')} limit $2`,
    [looked, Math.max(1, maxNamed)],
  );
  return {
    count: found[0]?.count ?? 0,
    areMore: differing.length > maxParts,
    named: found.flatMap(({ s, o }) => differencesOf({ name, key, columns }, s, o)),
  };
}

/** Values as text, since a JSON number would lose digits. */
type JsonRow = Readonly<Record<string, string | null>>;

function differencesOf(
  { name: table, key: names, columns }: Table,
  serving: JsonRow | null,
  other: JsonRow | null,
): RowDifference[] {
  const row = serving ?? other ?? {};
  const key = Object.fromEntries(names.map((name) => [name, row[name] ?? null]));
  if (!serving || !other)
    return [{ table, key, field: 'row', serving: has(serving), other: has(other) }];
  return columns
    .filter((column) => serving[column] !== other[column])
    .map((field) => ({
      table,
      key,
      field,
      serving: serving[field] ?? null,
      other: other[field] ?? null,
    }));
}

const has = (row: JsonRow | null): string | null => (row ? 'a row' : null);
