/** One line of the results, as the JSON file holds it. */
export interface Measurement {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** What the machine gives without the service, in the same unit, measured in the same run. */
  readonly floor: number;
  /** value / floor: for rates more is better, for times less. */
  readonly ratio: number;
  /** RssAnon of the service's processes together, in MiB; null where none of them ran. */
  readonly anon_mb: number | null;
}

/** What a case found, and in words what its figures alone would not tell. */
export interface Findings {
  readonly measurements: readonly Measurement[];
  readonly notes: readonly string[];
}

/** @returns the measurement with its ratio, rounded to what the clock can tell */
export function measurement(of: Omit<Measurement, 'ratio'>): Measurement {
  const { name, value, unit, floor, anon_mb } = of;
  return {
    name,
    value: rounded(value),
    unit,
    floor: rounded(floor),
    ratio: rounded(value / floor),
    anon_mb: anon_mb === null ? null : Math.round(anon_mb),
  };
}

/** The results as a person reads them. */
export function table(measurements: readonly Measurement[]): string {
  const header = ['name', 'value', 'unit', 'floor', 'ratio', 'anon_mb'] as const;
  const rows = [
    [...header],
    ...measurements.map((row) => header.map((column) => String(row[column] ?? '-'))),
  ];
  const widths = header.map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  return rows
    .map((row) =>
      row
        .map((cell, column) => {
          const width = widths[column] ?? 0;
          return column === 0 || column === 2 ? cell.padEnd(width) : cell.padStart(width);
        })
        .join('  '),
    )
    .join('\n');
}

/** Three significant digits, but whole numbers stay whole. */
function rounded(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}

/** @param sorted ascending @param share 0.5 for the median */
export function quantile(sorted: readonly number[], share: number): number {
  const index = Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1);
  return sorted[Math.max(0, index)] ?? Number.NaN;
}
