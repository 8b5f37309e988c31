/**
 * Rows as one JSON parameter: a statement over a whole batch needs one value, whatever the number of rows. Null is left
 * out, and an amount is text. A process that builds a set with many rows uses COPY instead (`projection`).
 */
export class Recordset {
  /** @param columns the columns that the statement reads; if absent, all */
  constructor(
    readonly rows: readonly object[],
    readonly columns?: readonly string[],
  ) {}

  /** Returns the text that the driver sends. */
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

/** Written by hand: JSON.stringify rejects bigint, and a callback for each member costs twice as much. */
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
