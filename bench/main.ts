import { writeFile } from 'node:fs/promises';
import { cases, runCases } from './cases.js';
import { type BenchCase, type Measurement, table } from './measurement.js';
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

/** One run, as a table and, where asked for, as JSON. */
async function runOnce(wanted: readonly BenchCase[], options: Options): Promise<void> {
  const measurements: Measurement[] = [];
  await Fixture.during(options.profile, (fixture) =>
    runCases(wanted, options, fixture, (_, findings) => {
      measurements.push(...findings.measurements);
      for (const note of findings.notes) process.stderr.write(`${note}\n`);
    }),
  );
  process.stdout.write(`${table(measurements)}\n`);
  if (options.json !== undefined)
    await writeFile(options.json, `${JSON.stringify(measurements, undefined, 2)}\n`);
}

const options = optionsOrExit();
const wanted = cases.filter(({ name, isLong }) =>
  options.only === undefined ? options.report || !isLong : name === options.only,
);
await (options.report ? report(wanted, options) : runOnce(wanted, options));
process.exit(0);
