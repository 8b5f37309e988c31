import { StatementRefused } from '#domain/reconciliation';

/**
 * Programs choose the list separator by the reader's region: Excel writes a semicolon if the comma is the decimal mark.
 */
const separators = [',', ';', '\t'] as const;
export type Separator = (typeof separators)[number];

const names: Readonly<Record<Separator, string>> = {
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
};

/**
 * Finds the separator of a file's cells in its header: it is the one between the first column's name and another column.
 * @param first the plain name of the column that every header has
 * @returns undefined if the line is no header
 * @throws StatementRefused if it finds two separators
 */
export function separatorIn(line: string, first: string): Separator | undefined {
  if (!line.toLowerCase().includes(first)) return undefined;
  const outside = line.replace(/"(?:[^"]|"")*"/g, (cell) => cell.replace(/[,;\t]/g, ' '));
  const found = separators.filter((separator) => {
    const cells = outside.split(separator).map(plainName);
    return cells.length > 1 && cells.includes(first);
  });
  const [only, other] = found;
  if (only !== undefined && other !== undefined)
    throw new StatementRefused(
      `its header has both ${names[only]} and ${names[other]} between columns: export it again, with commas`,
    );
  return only;
}

/** Returns a column's name in the form used for comparison. */
export function plainName(cell: string): string {
  return cell
    .replaceAll('"', '')
    .trim()
    .toLowerCase()
    .replace(/[.:\s]+$/, '')
    .replace(/\s+/g, ' ');
}
