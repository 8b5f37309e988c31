import { type Cost, type Line, type Measurement, rounded, type Series } from '../measurement.js';
import { type Point, type Spread, spreadOf, sumOf } from '../statistics.js';
import { plot } from './plot.js';
import { publicLedgers } from './public-ledgers.js';
import { type CaseResults, type Machine, type Results } from './results.js';

/** @returns the page of results and its pictures, by file name */
export function pageOf(results: Results): ReadonlyMap<string, string> {
  const pictures = new Map<string, string>();
  const sections = results.cases.map((one) => {
    const drawn = seriesOf(one).map((series) => {
      pictures.set(`${series.name}.svg`, plot(series));
      return `![${series.title}](${series.name}.svg)`;
    });
    return sectionOf(one, drawn);
  });
  const page = [
    ...['# Benchmark results', introduction, machineTable(results.machine)],
    ...['## How to read it', method, '## Faster peers', peers(results), publicLedgers, ...sections],
  ].join('\n\n');
  return new Map([['README.md', `${page}\n`], ...pictures]);
}

const introduction = [
  '`npm run bench -- --report` measures all of this and writes this page. It takes some hours on a machine that does nothing',
  'else. [How to run the benchmarks](../how-to/run-the-benchmarks.md) describes each case.',
].join('\n');

const method = [
  '- Each figure is the median of the runs, with the least and the most of them in parentheses.',
  '- A floor is the same work by the shortest means, measured in the same run on the same machine. Absolute figures are for',
  '  orientation. Compare the ratio, value to floor of one run. For rates more is better, for times less.',
  '- The same machine may be faster on another day. “Fixed work” is the time that one processor takes to hash 100 MiB, before',
  '  and after each run. Compare absolute figures only between cases for which it is about the same.',
  '- Requests are signed before the measured time. The load generator is a process of its own on the same machine.',
  '- Everything is durable: the event store flushes before it answers, and Postgres runs with `fsync` and `synchronous_commit`',
  '  on, for the service, the floors and the peers alike.',
].join('\n');

function machineTable({ processor, processors, memoryGb, system, programs }: Machine): string {
  return tableOf(
    ['machine', ''],
    [
      ['processor', `${processor}, ${processors} of them`],
      ['memory', `${memoryGb} GB`],
      ['system', system],
      ['programs', programs.join(', ')],
    ],
  );
}

/** Costs of the systems of a case by process, the median of its runs. Undefined if none was measured. */
function costsOf({ runs }: CaseResults): string | undefined {
  const costs = runs.flatMap((run) => run.costs ?? []);
  if (costs.length === 0) return undefined;
  const systems = [...new Set(costs.map(({ of }) => of))];
  const processes = [...new Set(costs.flatMap(({ ms }) => Object.keys(ms)))];
  const cell = (system: string, of: (ms: Cost['ms']) => number | undefined): string =>
    inWords(costs.flatMap((cost) => (cost.of === system ? (of(cost.ms) ?? []) : [])));
  const rows = processes.map((name) => [
    name,
    ...systems.map((system) => cell(system, (ms) => ms[name])),
  ]);
  const all = systems.map((system) => cell(system, (ms) => sumOf(Object.values(ms), (its) => its)));
  const header = ['ms of processor for one', ...systems];
  return tableOf(header, [...rows, ['**all**', ...all]]);
}

/**
 * Compares the hand-written ledgers with the service in words, so that the page does not hide it if they are faster.
 */
function peers({ cases }: Results): string {
  const lines = cases
    .flatMap((one) => namesOf(one).map((name) => [name, ratiosOf(one, name)] as const))
    .filter(([name]) => name.startsWith('peer_'))
    .map(([name, ratios]) => `- \`${name}\`: ${comparison(spreadOf(ratios))}`);
  return lines.length === 0
    ? 'No peer was measured.'
    : `${lines.join('\n')}\n\n${whyPeersAreFaster}`;
}

const whyPeersAreFaster = [
  'The peers do less. They check the signature and the nonce, make the intent durable before the push, and post legs, balances',
  'and an outbox row in one commit. The service also does the following for each collection; the table of `peer` has the',
  'processor time of each process.',
  '',
  '- Four events in a log of its own with a second flush. Each carries a commitment to sealed evidence.',
  '- Three messages sealed under a key each, so that one person’s number can be erased.',
  '- An idempotency claim in two layers, Redis and Postgres. It is written before the intent.',
  '- A list row with its filters, identifiers for search, the figures of the day, and the schedule of status queries.',
  '- A webhook’s body and its sequence, and its delivery.',
  '- Four processes instead of one, so that each can be replicated, restarted and rebuilt alone. The simulator is the same.',
].join('\n');

/** @param ratio of ours to theirs */
export function comparison(ratio: Spread): string {
  const times = (figure: number): string => figure.toFixed(2);
  if (ratio.max < 1)
    return `**the peer is faster**: ${times(1 / ratio.median)} times as many (${times(1 / ratio.max)} to ${times(1 / ratio.min)}).`;
  if (ratio.min > 1)
    return `the service is faster: ${times(ratio.median)} times as many (${times(ratio.min)} to ${times(ratio.max)}).`;
  return `no difference that these runs could tell: ours is ${times(ratio.median)} of the peer (${times(ratio.min)} to ${times(ratio.max)}).`;
}

function sectionOf(one: CaseResults, pictures: readonly string[]): string {
  const { name, about, date, commit, runs, failures } = one;
  const rows = namesOf(one).map((row) => {
    const of = measurementsOf(one, row);
    const [first] = of;
    return [
      `\`${row}\``,
      inWords(of.map(({ value }) => value)),
      first?.unit ?? '',
      inWords(of.map(({ floor }) => floor)),
      inWords(of.map(({ ratio }) => ratio)),
      inWords(of.flatMap(({ anon_mb }) => anon_mb ?? [])),
    ];
  });
  const header = ['name', 'value', 'unit', 'floor', 'ratio', 'memory (MiB)'];
  const count = `${runs.length} ${runs.length === 1 ? 'run' : 'runs'}`;
  const notes = runs.at(-1)?.notes ?? [];
  const costs = costsOf(one);
  return [
    `## ${name}`,
    about,
    [`${count}, ${date}, commit \`${commit}\`.`, ...speedOf(one)].join(' '),
    ...(failures.length > 0 ? [failures.map((why) => `- A run failed: ${why}`).join('\n')] : []),
    ...(rows.length > 0 ? [tableOf(header, rows)] : []),
    ...(costs === undefined ? [] : [costs]),
    ...pictures,
    ...(notes.length > 0
      ? [`Notes of the last run:\n\n${notes.map((note) => `- ${note}`).join('\n')}`]
      : []),
  ].join('\n\n');
}

/** Says how fast the machine was, so that a reader sees which cases may be compared. */
function speedOf({ runs }: CaseResults): string[] {
  const ms = runs.flatMap(({ machineMs = [] }) => machineMs);
  return ms.length === 0 ? [] : [`Fixed work: ${inWords(ms)} ms.`];
}

/** Returns the case's own pictures or, if it has none, the values of its runs. */
function seriesOf(one: CaseResults): Series[] {
  const own = new Map(one.runs.flatMap(({ series }) => series.map((of) => [of.name, of] as const)));
  if (own.size === 0) return byRun(one);
  return [...own.values()].map((of) => ({
    ...of,
    lines: of.lines.flatMap(({ label }) => overRuns(one, of.name, label)),
  }));
}

/**
 * Returns a line's median over the runs if they have the same x values. Otherwise the axis is time, and each run has a
 * line.
 */
function overRuns({ runs }: CaseResults, name: string, label: string): Line[] {
  const found = runs
    .flatMap(({ series }) => series.filter((of) => of.name === name))
    .flatMap(({ lines }) => lines.filter((line) => line.label === label));
  const [first] = found;
  if (!first || found.length === 1) return found;
  const places = (line: Line): string => line.points.map(([x]) => x).join();
  if (found.some((line) => places(line) !== places(first)))
    return found.map(({ points }, index) => ({ label: `${label}, run ${index + 1}`, points }));
  const points = first.points.map(([x], index): Point => {
    const values = found.flatMap((line) => line.points[index]?.[1] ?? []);
    return [x, spreadOf(values).median];
  });
  return [{ label, points }];
}

/** Returns the values and floors of the runs, for all rows that have the first row's unit. */
function byRun(one: CaseResults): Series[] {
  const names = namesOf(one);
  const unit = measurementsOf(one, names[0] ?? '')[0]?.unit;
  if (unit === undefined || one.runs.length < 2) return [];
  const alike = names.filter((name) => measurementsOf(one, name)[0]?.unit === unit);
  const line = (label: string, name: string, of: 'value' | 'floor'): Line => ({
    label,
    points: measurementsOf(one, name).map((row, index) => [index + 1, row[of]]),
  });
  const lines = alike.flatMap((name) => [
    line(name, name, 'value'),
    line(`floor of ${name}`, name, 'floor'),
  ]);
  return [{ name: one.name, title: `${one.name}: run by run`, x: 'run', y: unit, lines }];
}

function namesOf({ runs }: CaseResults): string[] {
  return [...new Set(runs.flatMap(({ measurements }) => measurements.map(({ name }) => name)))];
}

function measurementsOf({ runs }: CaseResults, name: string): Measurement[] {
  return runs.flatMap(({ measurements }) => measurements.filter((row) => row.name === name));
}

function ratiosOf(one: CaseResults, name: string): number[] {
  return measurementsOf(one, name).map(({ ratio }) => ratio);
}

/** Returns the median, with the spread if there is one. */
function inWords(values: readonly number[]): string {
  if (values.length === 0) return '–';
  const { median, min, max } = spreadOf(values);
  const [middle, low, high] = [median, min, max].map((figure) => String(rounded(figure)));
  return low === high ? (middle ?? '') : `${middle} (${low}–${high})`;
}

function tableOf(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}
