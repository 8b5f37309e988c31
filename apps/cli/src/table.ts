/** Rows under their headings with aligned columns. A column of digits is aligned to the right. */
export function table(
  headings: readonly string[],
  rows: readonly (readonly string[])[],
): readonly string[] {
  const widths = headings.map((heading, column) =>
    Math.max(heading.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const isNumeric = headings.map((_heading, column) =>
    rows.every((row) => /^\d*$/.test(row[column] ?? '')),
  );
  const line = (cells: readonly string[]): string =>
    widths
      .map((width, column) => {
        const cell = cells[column] ?? '';
        return isNumeric[column] ? cell.padStart(width) : cell.padEnd(width);
      })
      .join('  ')
      .trimEnd();
  return [line(headings.map((heading) => heading.toUpperCase())), ...rows.map(line)];
}

/** Lines of a section under its title, or the word "none". */
export function section(title: string, lines: readonly string[]): readonly string[] {
  return ['', `${title}${lines.length === 0 ? ': none' : ''}`, ...lines.map((line) => `  ${line}`)];
}
