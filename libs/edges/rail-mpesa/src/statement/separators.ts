import { StatementRefused } from '#domain/reconciliation';

/** Programs write what a list separates by the reader's region: Excel by a semicolon where the comma is decimal. */
const separators = [',', ';', '\t'] as const;
export type Separator = (typeof separators)[number];

const names: Readonly<Record<Separator, string>> = {
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
};

/**
 * What separates the cells of a file, told by its header: the separator between “Receipt No.” and another column.
 * @returns undefined if the line is no header
 * @throws StatementRefused if two of them are there
 */
export function separatorIn(line: string): Separator | undefined {
  if (!/receipt no/i.test(line)) return undefined;
  const outside = line.replace(/"(?:[^"]|"")*"/g, (cell) => cell.replace(/[,;\t]/g, ' '));
  const found = separators.filter((separator) => {
    const cells = outside.split(separator).map(plainName);
    return cells.length > 1 && cells.includes('receipt no');
  });
  const [only, other] = found;
  if (only !== undefined && other !== undefined)
    throw new StatementRefused(
      `its header has both ${names[only]} and ${names[other]} between columns: export it again, with commas`,
    );
  return only;
}

/** A column's name as it is compared. */
export function plainName(cell: string): string {
  return cell
    .replaceAll('"', '')
    .trim()
    .toLowerCase()
    .replace(/[.:\s]+$/, '')
    .replace(/\s+/g, ' ');
}
