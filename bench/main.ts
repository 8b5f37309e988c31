import { writeFile } from 'node:fs/promises';
import { append } from './cases/append.js';
import { checkout } from './cases/checkout.js';
import { create } from './cases/create.js';
import { lifecycle } from './cases/lifecycle.js';
import { list } from './cases/list.js';
import { read } from './cases/read.js';
import { v3Balance } from './cases/v3-balance.js';
import { verify } from './cases/verify.js';
import { type Findings, type Measurement, table } from './measurement.js';
import { type Options, parseOptions, usage } from './options.js';
import { Fixture } from './servers/fixture.js';

process.title = 'pesapost-bench';

const defaultSeconds = {
  append: 10,
  read: 10,
  create: 10,
  lifecycle: 60,
  list: 20,
  'v3-balance': 10,
  verify: 20,
  checkout: 20,
} as const;
type CaseName = keyof typeof defaultSeconds;
const names = Object.keys(defaultSeconds) as CaseName[];

/** Runs the cases one after the other; `lifecycle` needs `create` of the same run as its floor. */
async function run(options: Options, fixture: Fixture): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  const wanted = (name: CaseName): boolean => options.only === undefined || options.only === name;
  const secondsOf = (name: CaseName): number => options.seconds ?? defaultSeconds[name];
  const tell = async (name: CaseName, measuring: Promise<Findings>): Promise<void> => {
    process.stderr.write(`${name} …\n`);
    const findings = await measuring;
    measurements.push(...findings.measurements);
    for (const note of findings.notes) process.stderr.write(`${note}\n`);
  };
  if (wanted('append')) await tell('append', append(fixture, secondsOf('append')));
  if (wanted('read')) await tell('read', read(fixture, secondsOf('read')));
  if (wanted('create') || wanted('lifecycle')) {
    const seconds = wanted('create') ? secondsOf('create') : defaultSeconds.create;
    await tell('create', create(fixture, seconds));
  }
  if (wanted('lifecycle')) {
    const creates = measurements.find(({ name }) => name === 'create')?.value ?? Number.NaN;
    await tell('lifecycle', lifecycle(fixture, secondsOf('lifecycle'), creates));
  }
  if (wanted('list')) await tell('list', list(fixture, secondsOf('list')));
  if (wanted('v3-balance')) await tell('v3-balance', v3Balance(fixture, secondsOf('v3-balance')));
  if (wanted('verify')) await tell('verify', verify(fixture, secondsOf('verify')));
  if (wanted('checkout')) await tell('checkout', checkout(fixture, secondsOf('checkout')));
  return measurements;
}

function optionsOrExit(): Options {
  try {
    const options = parseOptions(process.argv.slice(2));
    if (options.only !== undefined && !names.some((name) => name === options.only))
      throw new Error(`there is no case ${options.only}`);
    return options;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n${usage}\n`);
    process.exit(2);
  }
}

const options = optionsOrExit();
const fixture = await Fixture.prepare(options.profile);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => {
    void fixture.clear().finally(() => process.exit(1));
  });
try {
  const measurements = await run(options, fixture);
  process.stdout.write(`${table(measurements)}\n`);
  if (options.json !== undefined)
    await writeFile(options.json, `${JSON.stringify(measurements, undefined, 2)}\n`);
} finally {
  await fixture.clear();
}
process.exit(0);
