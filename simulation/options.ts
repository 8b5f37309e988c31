import { parseArgs } from 'node:util';
import { type Bug } from './bugs/bug.js';
import { bugs } from './bugs/bugs.js';

export interface Options {
  /** The seed to replay, with every step printed; absent to run many seeds. */
  readonly replayed: number | undefined;
  readonly from: number;
  readonly seeds: number;
  readonly bug: Bug | undefined;
  /** The file for the findings as JSON. */
  readonly json: string | undefined;
}

const defaultSeeds = 1000;
const maxSeeds = 100_000_000;

export const usage = [
  'usage: npm run simulate -- [--seeds N] [--from N] [--bug NAME] [--json FILE]',
  '       npm run simulate -- --seed N [--bug NAME]',
  'bugs:',
  ...bugs.map(({ name, does }) => `  ${name}: ${does}`),
].join('\n');

/** @throws Error with a message that says what is wrong */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: 'string' },
      seeds: { type: 'string' },
      from: { type: 'string' },
      bug: { type: 'string' },
      json: { type: 'string' },
    },
  });
  return {
    replayed: values.seed === undefined ? undefined : wholeNumber('--seed', values.seed),
    from: wholeNumber('--from', values.from ?? '1'),
    seeds: wholeNumber('--seeds', values.seeds ?? String(defaultSeeds)),
    bug: values.bug === undefined ? undefined : bugNamed(values.bug),
    json: values.json,
  };
}

/** @throws Error if there is none */
export function bugNamed(name: string): Bug {
  const bug = bugs.find((one) => one.name === name);
  if (!bug) throw new Error(`there is no planted bug ${name}`);
  return bug;
}

function wholeNumber(option: string, text: string): number {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1 || number > maxSeeds)
    throw new Error(`${option} is a whole number from 1 to ${maxSeeds}`);
  return number;
}
