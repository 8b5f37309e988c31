import { writeFile } from 'node:fs/promises';
import { type Options, parseOptions, usage } from './options.js';
import { type Found, runSeeds } from './run-seeds.js';
import { runSchedule } from './schedule.js';
import { shrink } from './shrink.js';

process.title = 'pesapost-simulation';

const progressEveryMs = 2000;
/** The number of findings that are reported in full; the others are only named. */
const maxReported = 3;
/** The last lines of the trace; a replay prints all of them. */
const maxLines = 150;

/** @returns true if nothing was violated */
async function replay(seed: number, { bug }: Options): Promise<boolean> {
  const outcome = await runSchedule({ seed, bug, isTraced: true });
  for (const line of outcome.trace) say(line);
  if (!outcome.violation) say(`seed ${seed}: nothing is violated, ${outcome.steps} steps`);
  return !outcome.violation;
}

/** @returns true if nothing was violated */
async function runMany({ from, seeds, bug, json }: Options): Promise<boolean> {
  const startedAt = performance.now();
  const found: Found[] = [];
  let [done, steps, toldAt] = [0, 0, startedAt];
  const elapsedMs = (): number => performance.now() - startedAt;
  await runSeeds({ from, to: from + seeds, bug: bug?.name }, (report) => {
    done += report.schedules;
    steps += report.steps;
    found.push(...report.found);
    if (performance.now() - toldAt < progressEveryMs) return;
    toldAt = performance.now();
    const perMinute = Math.round((done / elapsedMs()) * 60_000);
    process.stderr.write(`${done} of ${seeds}, ${perMinute} a minute, ${found.length} found\n`);
  });
  const seconds = elapsedMs() / 1000;
  const perMinute = Math.round((done / seconds) * 60);
  found.sort((a, b) => a.seed - b.seed);
  for (const { seed } of found.slice(0, maxReported)) await tell(seed, bug);
  for (const { seed, invariant } of found.slice(maxReported)) say(`seed ${seed}: "${invariant}"`);
  say(
    `${done} schedules, ${steps} steps, ${seconds.toFixed(1)} s, ${perMinute} a minute, ${found.length} violations`,
  );
  if (json !== undefined) {
    const findings = { from, schedules: done, steps, seconds, perMinute, found };
    await writeFile(json, `${JSON.stringify(findings, undefined, 2)}\n`);
  }
  return found.length === 0;
}

/** Prints the least that is needed for the violation, step by step. */
async function tell(seed: number, bug: Options['bug']): Promise<void> {
  const least = await shrink(seed, bug);
  say(`seed ${seed} breaks "${least.violation?.invariant ?? ''}". The least that it takes:`);
  const left = Math.max(0, least.trace.length - maxLines);
  if (left > 0) say(`  … ${left} lines before`);
  for (const line of least.trace.slice(left)) say(`  ${line}`);
  say(`replay: npm run simulate -- --seed ${seed}${bug ? ` --bug ${bug.name}` : ''}`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

function optionsOrExit(): Options {
  try {
    return parseOptions(process.argv.slice(2));
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}\n`);
    process.exit(2);
  }
}

const options = optionsOrExit();
const isWhole =
  options.replayed === undefined ? await runMany(options) : await replay(options.replayed, options);
process.exit(isWhole ? 0 : 1);
