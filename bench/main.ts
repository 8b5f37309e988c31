import { writeFile } from 'node:fs/promises';
import { cases, runCases } from './cases.js';
import { type Measurement, table } from './measurement.js';
import { type Options, parseOptions, usage } from './options.js';
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

const options = optionsOrExit();
const wanted = cases.filter(({ name, isLong }) =>
  options.only === undefined ? !isLong : name === options.only,
);
const fixture = await Fixture.prepare(options.profile);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    void fixture.clear().finally(() => process.exit(1));
  });
try {
  const measurements: Measurement[] = [];
  await runCases(wanted, options, fixture, (_, findings) => {
    measurements.push(...findings.measurements);
    for (const note of findings.notes) process.stderr.write(`${note}\n`);
  });
  process.stdout.write(`${table(measurements)}\n`);
  if (options.json !== undefined)
    await writeFile(options.json, `${JSON.stringify(measurements, undefined, 2)}\n`);
} finally {
  await fixture.clear();
}
process.exit(0);
