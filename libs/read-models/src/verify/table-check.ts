import { type Queryable } from '#postgres';
import { type Differences } from './difference.js';
import { field, fieldsOf, lineOf, StoredLines } from './stored-lines.js';

/** A small table that is held in memory as the log has it. */
export interface SmallTable {
  readonly name: string;
  /** The first one is the key. */
  readonly columns: readonly { readonly name: string; readonly sql?: string }[];
  /** What the key names. */
  readonly keyIs: 'stream' | 'account';
}

/** Values in the order of the table's columns, the key first. */
export type SmallRow = readonly [string, ...(string | null)[]];

/** Names each row that is missing or too many, and each field that differs. */
export async function compareSmallTable(
  { name: table, columns, keyIs }: SmallTable,
  expected: ReadonlyMap<string, SmallRow>,
  transaction: Queryable,
  differences: Differences,
): Promise<void> {
  const line = lineOf(columns.map((column) => column.sql ?? column.name));
  const stored = await StoredLines.open(transaction, table, `select ${line} from ${table}`);
  const met = new Set<string>();
  for await (const text of stored.rest()) {
    const found = fieldsOf(text);
    const key = found[0] ?? '';
    const where = { table, [keyIs]: key };
    const row = expected.get(key);
    met.add(key);
    if (!row) {
      differences.add({ ...where, field: 'row', expected: null, found: 'a row' });
      continue;
    }
    if (row.map(field).join() === found.map((each) => field(each ?? null)).join()) continue;
    for (const [index, column] of columns.entries()) {
      const [wanted, has] = [row[index] ?? null, found[index] ?? null];
      if (wanted !== has)
        differences.add({ ...where, field: column.name, expected: wanted, found: has });
    }
  }
  for (const key of expected.keys())
    if (!met.has(key))
      differences.add({ table, [keyIs]: key, field: 'row', expected: 'a row', found: null });
}
