import { parseArgs } from 'node:util';

export interface Options {
  /** Names of the cases to run; all where absent. */
  readonly only: string | undefined;
  /** How long each case measures; where absent each case has its own default. */
  readonly seconds: number | undefined;
  /** Where the results go as JSON. */
  readonly json: string | undefined;
  /** Folder for CPU profiles of the service's Node processes. */
  readonly profile: string | undefined;
}

const maxSeconds = 600;

export const usage =
  'usage: npm run bench [-- --only append|read|create|lifecycle|list|v3-balance|verify|checkout --seconds N --json FILE --profile FOLDER]';

/** @throws Error whose message says what is wrong */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: 'string' },
      seconds: { type: 'string' },
      json: { type: 'string' },
      profile: { type: 'string' },
    },
  });
  const { only, json, profile } = values;
  return { only, json, profile, seconds: secondsOf(values.seconds) };
}

function secondsOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (!(seconds >= 1 && seconds <= maxSeconds))
    throw new Error(`--seconds is a number from 1 to ${maxSeconds}`);
  return seconds;
}
