import {
  type Cost,
  type Findings,
  type Measurement,
  rounded,
  type Series,
} from '../measurement.js';

/** The data of the page of results, stored beside it. */
export interface Results {
  readonly machine: Machine;
  readonly cases: readonly CaseResults[];
}

export interface Machine {
  readonly processor: string;
  readonly processors: number;
  readonly memoryGb: number;
  readonly system: string;
  /** Name and version of each program that the service runs on. */
  readonly programs: readonly string[];
}

export interface CaseResults {
  readonly name: string;
  readonly about: string;
  /** The day of the last run, YYYY-MM-DD. */
  readonly date: string;
  /** Abbreviated; `+` if files differed from it. */
  readonly commit: string;
  /** The runs that finished. */
  readonly runs: readonly RunResults[];
  /** The reasons why the other runs failed. */
  readonly failures: readonly string[];
}

export interface RunResults {
  readonly measurements: readonly Measurement[];
  readonly notes: readonly string[];
  readonly series: readonly Series[];
  readonly costs?: readonly Cost[];
  /** Milliseconds of the fixed work on this machine before and after the run; absent if it was not measured. */
  readonly machineMs?: readonly number[];
}

/** Returns a run's findings in the stored form. */
export function runResultsOf({
  measurements,
  notes,
  series = [],
  costs = [],
}: Findings): RunResults {
  return {
    measurements,
    notes,
    series: series.map((one) => ({
      ...one,
      lines: one.lines.map(({ label, points }) => ({
        label,
        points: points.map(([x, y]) => [precise(x), precise(y)] as const),
      })),
    })),
    ...(costs.length > 0 && { costs }),
  };
}

/** Adds a run that succeeded, or the reason why it failed, to its case. */
export function withRun(
  results: Results,
  of: Omit<CaseResults, 'runs' | 'failures'>,
  outcome: RunResults | { readonly failure: string },
): Results {
  const known = results.cases.find(({ name }) => name === of.name);
  const { runs = [], failures = [] } = known ?? {};
  const added = {
    ...of,
    runs: 'failure' in outcome ? runs : [...runs, outcome],
    failures: 'failure' in outcome ? [...failures, outcome.failure] : failures,
  };
  const cases = known
    ? results.cases.map((one) => (one === known ? added : one))
    : [...results.cases, added];
  return { ...results, cases };
}

/** Rounds a figure: small enough to store, exact enough to draw. */
function precise(figure: number): number {
  return Math.abs(figure) >= 100 ? rounded(figure) : Number(figure.toPrecision(4));
}
