import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import { runCases, type RunOptions } from '../cases.js';
import { type BenchCase, type Measurement } from '../measurement.js';
import { type Options } from '../options.js';
import { Fixture } from '../servers/fixture.js';
import { fixedWorkMs } from '../servers/fixed-work.js';
import { commitOf, machineOf } from './machine.js';
import { pageOf } from './page.js';
import { type Results, type RunResults, runResultsOf, withRun } from './results.js';

const resultsFile = 'results.json';

/**
 * Runs the cases several times, the long ones once, and writes the page after each run, so that no result is lost if a
 * later one fails. The page names the cases that failed, and the others continue.
 */
export async function report(wanted: readonly BenchCase[], options: Options): Promise<void> {
  const { runs, into } = options;
  const commit = await commitOf();
  let results = await begin(wanted, options);
  for (let run = 1; run <= runs; run += 1) {
    const earlier: Measurement[] = [];
    for (const one of wanted.filter(({ isLong }) => !isLong || run === 1)) {
      process.stderr.write(`run ${run} of ${one.isLong ? 1 : runs}: `);
      const { name, about } = one;
      const outcome = await runAlone(one, { ...options, earlier });
      if ('measurements' in outcome) earlier.push(...outcome.measurements);
      const date = new Date().toISOString().slice(0, 10);
      results = withRun(results, { name, about, date, commit }, outcome);
      await writePage(results, into);
    }
  }
}

/**
 * Returns the results to start from. If only one case is measured, the others' results stay if they are from this
 * machine.
 */
async function begin(wanted: readonly BenchCase[], { only, into }: Options): Promise<Results> {
  const machine = await Fixture.during({}, machineOf);
  const before = only === undefined ? undefined : await recorded(into);
  if (JSON.stringify(before?.machine) !== JSON.stringify(machine)) return { machine, cases: [] };
  const kept = before?.cases.filter(({ name }) => !wanted.some((one) => one.name === name));
  return { machine, cases: kept ?? [] };
}

async function recorded(folder: string): Promise<Results | undefined> {
  try {
    return JSON.parse(await readFile(join(folder, resultsFile), 'utf8')) as Results;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Runs a case on servers and in a folder of its own, so that it meets nothing left by another one. */
async function runAlone(
  one: BenchCase,
  options: Options & RunOptions,
): Promise<RunResults | { readonly failure: string }> {
  const before = fixedWorkMs();
  try {
    const found = await Fixture.during({ profile: options.profile }, async (fixture) => {
      let its: RunResults | undefined;
      await runCases([one], options, fixture, (of, findings) => {
        if (of === one) its = runResultsOf(findings);
      });
      return its;
    });
    return found
      ? { ...found, machineMs: [before, fixedWorkMs()] }
      : { failure: 'it found nothing' };
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    process.stderr.write(`${one.name} failed: ${failure}\n`);
    return { failure };
  }
}

/** Writes the page, its pictures and its data. */
async function writePage(results: Results, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, text] of pageOf(results)) {
    const path = join(folder, name);
    await writeFile(path, name.endsWith('.md') ? await formatted(path, text) : text);
  }
  await writeFile(join(folder, resultsFile), `${JSON.stringify(results)}\n`);
}

/** Formats a page as `npm run check` requires. */
async function formatted(path: string, text: string): Promise<string> {
  return format(text, { ...(await resolveConfig(path)), parser: 'markdown' });
}
