import { type Fixture } from './servers/fixture.js';
import { type Point } from './statistics.js';

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

/** What one picture of the results page shows. */
export interface Series {
  /** Names its file. */
  readonly name: string;
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly lines: readonly Line[];
  /** In steps of ten times as much, for figures of several sizes. */
  readonly isLogarithmic?: { readonly x?: true; readonly y?: true };
}

export interface Line {
  readonly label: string;
  readonly points: readonly Point[];
}

/** What a case found, and in words what its figures alone would not tell. */
export interface Findings {
  readonly measurements: readonly Measurement[];
  readonly notes: readonly string[];
  readonly series?: readonly Series[];
}

/** What a case is run with. */
export interface Conditions {
  readonly fixture: Fixture;
  readonly seconds: number;
  /** Rows of the largest list. */
  readonly rows: number;
  /** What the cases before it found in this run. */
  readonly earlier: readonly Measurement[];
}

export interface BenchCase {
  readonly name: string;
  /** How long it measures where nobody says. */
  readonly seconds: number;
  /** In a sentence, for the results page: what is measured against what. */
  readonly about: string;
  /** It takes so long that it runs only where it is asked for by name, or for the results page. */
  readonly isLong?: true;
  /** The case whose value is its floor. */
  readonly floor?: BenchCase;
  run(conditions: Conditions): Promise<Findings>;
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
export function rounded(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}
