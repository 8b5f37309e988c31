import { type Queryable } from '#infra/postgres';
import { type Differences } from './difference.js';
import { type RowQuestion, rowsWhere } from './paged-rows.js';
import { fieldsOf, lineOf } from './stored-lines.js';

type Value = string | null | undefined;

/** A table of sums that a statement computes anew: its row `e` has the expected sums, its row `s` the stored ones. */
export interface SumsTable {
  readonly table: string;
  /** The columns of its primary key. */
  readonly key: readonly string[];
  readonly sums: readonly string[];
  /** Names a row by its key, as the account of a difference. */
  readonly accountOf: (key: readonly Value[]) => string;
}

/** Names a part of an account, which is the last column of the key. */
export function accountAndPart(key: readonly Value[]): string {
  return `${key.slice(0, -1).join(':')} ${key.at(-1)}`;
}

/** SQL of a line: the key, then each sum of both rows. */
export function lineOfBoth({ key, sums }: Pick<SumsTable, 'key' | 'sums'>): string {
  return lineOf([...key, ...sums.flatMap((sum) => [`e.${sum}`, `s.${sum}`])]);
}

/** SQL that is true if a row is missing, or if a sum differs. */
export function isDifferent({ sums }: Pick<SumsTable, 'sums'>): string {
  const of = (row: string): string => sums.map((sum) => `${row}.${sum}`).join(', ');
  return `(${of('s')}) is distinct from (${of('e')})`;
}

/** Reports what a line of `lineOfBoth` shows. */
export function nameDifference(
  line: string,
  { table, key, sums, accountOf }: SumsTable,
  differences: Differences,
): void {
  const fields = fieldsOf(line);
  const where = { table, account: accountOf(fields.slice(0, key.length)) };
  const sides = fields.slice(key.length);
  const [firstExpected = null, firstFound = null] = sides;
  if (firstExpected === null || firstFound === null) {
    const rowOf = (sum: string | null) => (sum === null ? null : 'a row');
    const [expected, found] = [rowOf(firstExpected), rowOf(firstFound)];
    differences.add({ ...where, field: 'row', expected, found });
    return;
  }
  for (const [index, field] of sums.entries()) {
    const [expected = null, found = null] = sides.slice(2 * index, 2 * index + 2);
    if (expected !== found) differences.add({ ...where, field, expected, found });
  }
}

/** Reports the rows that meet the condition, as rows in excess. */
export async function nameExcess(
  database: Queryable,
  { table, key, accountOf }: SumsTable,
  rows: Pick<RowQuestion, 'before' | 'condition'>,
  differences: Differences,
): Promise<void> {
  for await (const row of rowsWhere(database, { table, key, ...rows })) {
    const account = accountOf(key.map((column) => row[column]));
    differences.add({ table, account, field: 'row', expected: null, found: 'a row' });
  }
}
