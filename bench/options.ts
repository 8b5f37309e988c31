import { parseArgs } from 'node:util';

export interface Options {
  /** The case to run; all but the long ones if absent. */
  readonly only: string | undefined;
  /** How long each case measures; each case's own default if absent. */
  readonly seconds: number | undefined;
  /** Rows of the largest list. */
  readonly rows: number;
  /** Share of the warm-ups and histories that the cases make; 1 to measure. */
  readonly scale: number;
  /** Shows that every case runs, the long ones included. Its figures mean nothing. */
  readonly rehearse: boolean;
  /** The file for the results as JSON. */
  readonly json: string | undefined;
  /** Makes the page of results rather than one run. */
  readonly report: boolean;
  /** How often the report runs each case. */
  readonly runs: number;
  /** The report's folder. */
  readonly into: string;
  /** Folder for CPU profiles of the service's Node processes. */
  readonly profile: string | undefined;
}

const maxSeconds = 86_400;
const defaultRows = 10_000_000;
/** The settings of a rehearsal, in place of the defaults. */
const rehearsal = { seconds: 1, rows: 20_000, scale: 0.02 };
const maxRows = 100_000_000;
const defaultRuns = 5;
const maxRuns = 100;
const defaultFolder = 'docs/benchmarks';

/** @param names of the cases */
export function usage(names: readonly string[]): string {
  return [
    `usage: npm run bench [-- --only ${names.join('|')}]`,
    '  [--seconds N] [--rows N] [--json FILE] [--profile FOLDER]',
    '  [--rehearse | --report [--runs N] [--into FOLDER]]',
  ].join('\n');
}

/** @throws Error with a message that says what is wrong */
export function parseOptions(args: readonly string[], names: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      seconds: { type: 'string' },
      rows: { type: 'string' },
      json: { type: 'string' },
      profile: { type: 'string' },
      rehearse: { type: 'boolean', default: false },
      report: { type: 'boolean', default: false },
      runs: { type: 'string' },
      into: { type: 'string', default: defaultFolder },
    },
  });
  const { only, json, profile, rehearse, report, into } = values;
  if (only !== undefined && !names.includes(only)) throw new Error(`there is no case ${only}`);
  if (rehearse && report) throw new Error('a rehearsal has no figures for --report');
  const small = rehearse ? rehearsal : undefined;
  const seconds = numberOf('seconds', values.seconds, maxSeconds) ?? small?.seconds;
  const rows = numberOf('rows', values.rows, maxRows) ?? small?.rows ?? defaultRows;
  const scale = small?.scale ?? 1;
  const runs = numberOf('runs', values.runs, maxRuns) ?? defaultRuns;
  return { only, json, profile, rehearse, report, into, seconds, rows, scale, runs };
}

function numberOf(name: string, text: string | undefined, max: number): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!(number >= 1 && number <= max)) throw new Error(`--${name} is a number from 1 to ${max}`);
  return number;
}
