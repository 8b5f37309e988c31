import { type Queryable } from '#infra/postgres';
import { type Differences } from './difference.js';
import { field, fieldsOf, lineOf } from './stored-lines.js';

/** A small table that is kept in memory as the log requires it. */
export interface SmallTable {
  readonly name: string;
  /** The first one is the key. */
  readonly columns: readonly { readonly name: string; readonly sql?: string }[];
  /** The kind of the key. */
  readonly keyIs: 'stream' | 'account';
}

/** Values in the order of the table's columns, the key first. */
export type SmallRow = readonly [string, ...(string | null)[]];

/** The table in a snapshot, by its key. */
export type StoredTable = ReadonlyMap<string, readonly (string | null)[]>;

export async function readSmallTable(
  { name, columns }: SmallTable,
  snapshot: Queryable,
): Promise<StoredTable> {
  const line = lineOf(columns.map((column) => column.sql ?? column.name));
  const rows = await snapshot.query<{ line: string }>(`select ${line} from ${name}`);
  return new Map(rows.map((row) => fieldsOf(row.line)).map((found) => [found[0] ?? '', found]));
}

/** Reports each row that is missing or in excess, and each field that differs. */
export function compareSmallTable(
  { name: table, columns, keyIs }: SmallTable,
  expected: ReadonlyMap<string, SmallRow>,
  stored: StoredTable,
  differences: Differences,
): void {
  for (const [key, found] of stored) {
    const where = { table, [keyIs]: key };
    const row = expected.get(key);
    if (!row) {
      differences.add({ ...where, field: 'row', expected: null, found: 'a row' });
      continue;
    }
    if (row.map(field).join() === found.map(field).join()) continue;
    for (const [index, column] of columns.entries()) {
      const [wanted, has] = [row[index] ?? null, found[index] ?? null];
      if (wanted !== has)
        differences.add({ ...where, field: column.name, expected: wanted, found: has });
    }
  }
  for (const key of expected.keys())
    if (!stored.has(key))
      differences.add({ table, [keyIs]: key, field: 'row', expected: 'a row', found: null });
}
