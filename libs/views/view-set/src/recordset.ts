/** Rows as one JSON parameter: a statement over a whole batch needs one value, whatever the rows' number. */
export function recordset(rows: readonly object[]): string {
  return JSON.stringify(rows, (_key, member: unknown) =>
    typeof member === 'bigint' ? member.toString() : member,
  );
}
