import { parseArgs } from 'node:util';

export interface Options {
  /** The case to run; all but the long ones where absent. */
  readonly only: string | undefined;
  /** How long each case measures; where absent each case has its own default. */
  readonly seconds: number | undefined;
  /** Rows of the largest list. */
  readonly rows: number;
  /** Where the results go as JSON. */
  readonly json: string | undefined;
  /** Folder for CPU profiles of the service's Node processes. */
  readonly profile: string | undefined;
}

const maxSeconds = 86_400;
const defaultRows = 10_000_000;
const maxRows = 100_000_000;

/** @param names of the cases */
export function usage(names: readonly string[]): string {
  return `usage: npm run bench [-- --only ${names.join('|')} --seconds N --rows N --json FILE --profile FOLDER]`;
}

/** @throws Error whose message says what is wrong */
export function parseOptions(args: readonly string[], names: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      seconds: { type: 'string' },
      rows: { type: 'string' },
      json: { type: 'string' },
      profile: { type: 'string' },
    },
  });
  const { only, json, profile } = values;
  if (only !== undefined && !names.includes(only)) throw new Error(`there is no case ${only}`);
  const seconds = numberOf('seconds', values.seconds, maxSeconds);
  const rows = numberOf('rows', values.rows, maxRows) ?? defaultRows;
  return { only, json, profile, seconds, rows };
}

function numberOf(name: string, text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (!(number >= 1 && number <= most)) throw new Error(`--${name} is a number from 1 to ${most}`);
  return number;
}
