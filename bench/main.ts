import { writeFile } from 'node:fs/promises';
import { cases, runEach } from './cases.js';
import { type BenchCase, table } from './measurement.js';
import { type Options, parseOptions, usage } from './options.js';
import { report } from './report/report.js';
import { Fixture } from './servers/fixture.js';

process.title = 'pesapost-bench';

function optionsOrExit(): Options {
  const names = cases.map(({ name }) => name);
  try {
    return parseOptions(process.argv.slice(2), names);
  } catch (error) {
    process.stderr.write(
      `${error instanceof Error ? error.message : String(error)}\n${usage(names)}\n`,
    );
    process.exit(2);
  }
}

/**
 * Makes one run and prints it as a table and, if asked for, as JSON. If a case fails, the others still run.
 * @returns the names of the cases that failed
 */
async function runOnce(wanted: readonly BenchCase[], options: Options): Promise<readonly string[]> {
  const { measurements, failed } = await Fixture.during(options, (fixture) =>
    runEach(wanted, { ...options, tries: options.rehearse ? 2 : 1 }, fixture, async (sofar) => {
      if (options.json !== undefined)
        await writeFile(options.json, `${JSON.stringify(sofar, undefined, 2)}\n`);
    }),
  );
  process.stdout.write(`${table(measurements)}\n`);
  if (failed.length > 0) process.stderr.write(`failed: ${failed.join(', ')}\n`);
  return failed;
}

const options = optionsOrExit();
const wanted = cases.filter(({ name, isLong }) =>
  options.only === undefined
    ? options.report || options.rehearse || !isLong
    : name === options.only,
);
if (options.report) await report(wanted, options);
else if ((await runOnce(wanted, options)).length > 0) process.exit(1);
process.exit(0);
