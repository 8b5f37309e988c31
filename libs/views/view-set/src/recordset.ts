/**
 * Rows as one JSON parameter: a statement over a whole batch needs one value, whatever the rows' number. What is null
 * is left out, and an amount is a text. A builder that has many rows brings them by COPY instead (`projection`).
 */
export class Recordset {
  /** @param columns those that the statement reads; all unless given */
  constructor(
    readonly rows: readonly object[],
    readonly columns?: readonly string[],
  ) {}

  /** What the driver sends. */
  toPostgres(): string {
    const { rows, columns } = this;
    return `[${rows.map((row) => objectOf(row, columns ?? Object.keys(row))).join(',')}]`;
  }
}

export function recordset<Row extends object>(
  rows: readonly Row[],
  columns?: readonly (keyof Row & string)[],
): Recordset {
  return new Recordset(rows, columns);
}

/** By hand: JSON.stringify knows no bigint, and a callback for each member costs twice as much. */
function objectOf(row: object, columns: readonly string[]): string {
  let members = '';
  for (const column of columns) {
    const value = (row as Readonly<Record<string, unknown>>)[column];
    if (value === null || value === undefined) continue;
    const text = typeof value === 'bigint' ? `"${value}"` : JSON.stringify(value);
    members += `${members === '' ? '' : ','}"${column}":${text}`;
  }
  return `{${members}}`;
}
