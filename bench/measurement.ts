import { type Fixture } from './servers/fixture.js';
import { type Point } from './statistics.js';

/** One line of the results, as the JSON file contains it. */
export interface Measurement {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The machine's own figure without the service, in the same unit, measured in the same run. */
  readonly floor: number;
  /** value / floor. More is better for rates, less for times. */
  readonly ratio: number;
  /** RssAnon of the service's processes together, in MiB; null if none of them ran. */
  readonly anon_mb: number | null;
}

/** The data of one picture on the results page. */
export interface Series {
  /** The name of its file. */
  readonly name: string;
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly lines: readonly Line[];
  /** True for an axis in powers of ten, for figures of several sizes. */
  readonly isLogarithmic?: { readonly x?: true; readonly y?: true };
}

export interface Line {
  readonly label: string;
  readonly points: readonly Point[];
}

/** Milliseconds of processor time that one piece of work took, by process. */
export interface Cost {
  /** The system that did the work: the service, or what it is compared with. */
  readonly of: string;
  readonly ms: Readonly<Record<string, number>>;
}

/** A case's findings, with notes that its figures alone do not show. */
export interface Findings {
  readonly measurements: readonly Measurement[];
  readonly notes: readonly string[];
  readonly series?: readonly Series[];
  readonly costs?: readonly Cost[];
}

/** The conditions of a case's run. */
export interface Conditions {
  readonly fixture: Fixture;
  readonly seconds: number;
  /** Rows of the largest list. */
  readonly rows: number;
  /** The findings of the cases before it in this run. */
  readonly earlier: readonly Measurement[];
}

export interface BenchCase {
  readonly name: string;
  /** How long it measures by default. */
  readonly seconds: number;
  /** One sentence for the results page: what is measured, and what it is compared with. */
  readonly about: string;
  /** The case takes so long that it runs only by name, or for the results page. */
  readonly isLong?: true;
  /** The case whose value it needs, as its floor or to choose a rate. */
  readonly floor?: BenchCase;
  run(conditions: Conditions): Promise<Findings>;
}

/** @returns the measurement with its ratio, rounded to the clock's precision */
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

/** Returns the results as a table for people. */
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

/** Rounds to three significant digits; whole numbers stay whole. */
export function rounded(value: number): number {
  return Math.abs(value) >= 100 ? Math.round(value) : Number(value.toPrecision(3));
}
