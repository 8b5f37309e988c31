import { type Queryable } from '#infra/postgres';
import { beforeAllPositions } from './stored-lines.js';

/** Rows read by one statement: some tens of milliseconds. */
const pageRows = 20_000;

/** A condition on the rows of a table. */
export interface RowQuestion {
  readonly table: string;
  /** The columns of its primary key, and a key before all others. */
  readonly key: readonly string[];
  readonly before: readonly string[];
  /** SQL of a condition on the row `p`. */
  readonly condition: string;
}

/** The keys of all rows that meet the condition, with one snapshot per page of the table. */
export async function* rowsWhere(
  database: Queryable,
  { table, key, before, condition }: RowQuestion,
): AsyncGenerator<Record<string, string>, void, void> {
  const keys = key.join(', ');
  const page = `
    select ${key.map((column) => `q.${column}::text`).join(', ')}, q.holds, q.row_in_page
    from (
      select p.*, row_number() over (order by ${keys}) as row_in_page, (${condition}) as holds
      from (
        select * from ${table} where (${keys}) > (${key.map((_, index) => `$${index + 1}`).join(', ')})
        order by ${keys} limit ${pageRows}
      ) p
    ) q
    where q.holds or q.row_in_page = ${pageRows} order by q.row_in_page`;
  type Row = Readonly<Record<string, string>> & {
    readonly holds: boolean;
    readonly row_in_page: bigint;
  };
  for (let after = before; ;) {
    const rows: readonly Row[] = await database.query<Row>(page, after);
    for (const row of rows) if (row.holds) yield row;
    const last = rows.at(-1);
    if (last?.row_in_page !== BigInt(pageRows)) return;
    after = key.map((column) => last[column] ?? '');
  }
}

const endOfRange = `
  select max(position) as position
  from (select position from transactions where position > $1 order by position limit ${pageRows}) r`;

/** The list divided into ranges of positions, `after` exclusive. */
export async function* listRanges(
  database: Queryable,
): AsyncGenerator<{ readonly after: string; readonly upTo: string }, void, void> {
  for (let after = beforeAllPositions; ;) {
    const [row] = await database.query<{ position: bigint | null }>(endOfRange, [after]);
    if (row?.position === undefined || row.position === null) return;
    const upTo = row.position.toString();
    yield { after, upTo };
    after = upTo;
  }
}
