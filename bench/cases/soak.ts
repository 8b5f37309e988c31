import pg from 'pg';
import { LoadGenerator } from '../load/generator.js';
import { Lifecycles, postedPerSecond, type Round } from '../load/lifecycles.js';
import {
  type BenchCase,
  type Conditions,
  type Findings,
  type Line,
  measurement,
  type Series,
} from '../measurement.js';
import { bytesIn } from '../servers/files.js';
import { fixedWorkMs } from '../servers/fixed-work.js';
import { type Service, startService } from '../servers/service.js';
import { openServiceLedger } from '../servers/service-ledger.js';
import { msPerPiece } from '../servers/usage.js';
import { ascending, meanOf, quantile, slopeOf, spreadOf, sumOf } from '../statistics.js';

/**
 * A round's sample is taken once all of it is posted. A short soak has short rounds, so that there are enough of them.
 */
const rounds = { atLeast: 24, minSeconds: 2, maxSeconds: 30 };
/** The compared part at the beginning and at the end: five minutes of an hour. */
const comparedShare = 1 / 12;
const minSamples = 4;
/** Some five minutes of an hour. */
const roundsPerLine = 8;
const mebibyte = 1024 * 1024;
/** The simulator is no part of the service. It keeps every payment, so its memory grows with them. */
const rail = 'daraja-simulator';
/** Share of the most that the service takes in the same run. A service that runs at its maximum shows no latency. */
const load = 0.6;
const maximum = { share: 1 / 20, minSeconds: 2, maxSeconds: 60, rampSeconds: 2 };

/** The state of the service after a round. */
interface Sample {
  /** Since the start. */
  readonly hours: number;
  readonly collections: number;
  readonly perSecond: number;
  /** Creates that were answered 503. */
  readonly refused: number;
  /** Latency of a create, from when it was due to its answer. */
  readonly latencies: readonly number[];
  /** Milliseconds of all processes for one collection. */
  readonly cpuMs: number;
  readonly maxLagSeconds: number;
  /** Milliseconds of a fixed piece of work, which show how fast the machine itself is at that time. */
  readonly machineMs: number;
  /** RssAnon in MiB, by process. */
  readonly memory: ReadonlyMap<string, number>;
  /** Bytes on the disk. */
  readonly files: { readonly log: number; readonly database: number; readonly rest: number };
}

/** Lifecycles for an hour at a fixed rate. Shows if latency, processor time, memory, lag and files stay the same. */
export const soak: BenchCase = {
  name: 'soak',
  seconds: 3600,
  about:
    'Lifecycles for an hour at 60 % of the most that the service took in the same run, in rounds signed ahead. Each round gives the rate, memory, and the p50 and p99 of a create from when it was due. It also gives processor time and bytes on disk a collection, and the projector’s largest lag. The service’s memory is `soak_memory`. The simulator keeps every payment, and its memory is `soak_rail_memory`. A fixed piece of work on one processor is `soak_machine`: other work on the same host changes it and `soak_cpu` alike. The value is that of the last twelfth (five minutes), and the floor that of the first. Each is a quantile of all creates of that time, or the mean of its rounds. `soak_round_p99` is the median of the rounds’ p99, which one slow round does not move.',
  isLong: true,
  run: async ({ fixture, seconds }: Conditions): Promise<Findings> => {
    const service = await startService(fixture, {});
    const generator = new LoadGenerator();
    const ledger = await openServiceLedger(service);
    const database = new pg.Client({ connectionString: service.databaseUrl });
    await database.connect();
    try {
      const lifecycles = new Lifecycles(ledger, service.merchant, generator);
      await lifecycles.warmUp(fixture);
      const perSecond = load * (await maxRateOf(lifecycles, seconds));
      return findingsOf(
        await follow({ service, lifecycles, database, perSecond }, seconds),
        perSecond,
      );
    } finally {
      await database.end();
      await ledger.close();
      generator.stop();
      await service.stop();
    }
  },
};

interface Scene {
  readonly service: Service;
  readonly lifecycles: Lifecycles;
  readonly database: pg.Client;
  /** The rate of creates. */
  readonly perSecond: number;
}

/** Returns the collections a second that the service sustains. */
async function maxRateOf(lifecycles: Lifecycles, seconds: number): Promise<number> {
  const { share, minSeconds, maxSeconds, rampSeconds } = maximum;
  const within = Math.min(maxSeconds, Math.max(minSeconds, seconds * share));
  return postedPerSecond(await lifecycles.run(within, rampSeconds));
}

async function follow(scene: Scene, seconds: number): Promise<Sample[]> {
  const begunAt = performance.now();
  const hours = (): number => (performance.now() - begunAt) / 3_600_000;
  const roundSeconds = Math.min(
    rounds.maxSeconds,
    Math.max(rounds.minSeconds, seconds / rounds.atLeast),
  );
  const samples: Sample[] = [];
  while (hours() * 3600 < seconds || samples.length < minSamples) {
    const taken = await scene.lifecycles.at(scene.perSecond, roundSeconds);
    const sample = await look(scene, taken, { hours: hours(), before: samples.at(-1) });
    samples.push(sample);
    if (samples.length % roundsPerLine === 0) process.stderr.write(`${textOf(sample)}\n`);
  }
  return samples;
}

/** Shows on the terminal how it goes, so that a soak that fails after an hour has said something. */
function textOf(sample: Sample): string {
  const { hours, perSecond, cpuMs, refused } = sample;
  const ms = `p50 ${p50Of(sample).toFixed(0)} ms, p99 ${p99Of(sample).toFixed(0)} ms`;
  return `soak: ${(hours * 60).toFixed(0)} min: ${perSecond.toFixed(0)}/s, ${ms}, ${cpuMs.toFixed(2)} ms of processor, ${memoryOf(sample).toFixed(0)} MiB, ${refused} refused`;
}

async function look(
  { service, database }: Scene,
  { burst, refused, spent, maxLagSeconds }: Round,
  { hours, before }: { readonly hours: number; readonly before: Sample | undefined },
): Promise<Sample> {
  const { answered, latencies, seconds } = burst;
  const { rows } = await database.query<{ bytes: string }>(
    'select pg_database_size(current_database())::text as bytes',
  );
  const usage = await service.usage();
  return {
    hours,
    collections: (before?.collections ?? 0) + answered,
    perSecond: answered / seconds,
    refused,
    latencies,
    cpuMs: msPerPiece(spent, answered),
    maxLagSeconds,
    machineMs: fixedWorkMs(),
    memory: new Map([...usage].map(([name, { anonMb }]) => [name, anonMb])),
    files: {
      log: await bytesIn(service.folders.log),
      rest: await bytesIn(service.folders.rest),
      database: Number(rows[0]?.bytes),
    },
  };
}

function findingsOf(samples: readonly Sample[], perSecond: number): Findings {
  const [last] = samples.slice(-1);
  if (!last) throw new Error('too short a run to measure anything');
  const part = Math.ceil(samples.length * comparedShare);
  const [first, final] = [samples.slice(0, part), samples.slice(-part)];
  const anon_mb = memoryOf(last);
  const row = (name: string, unit: string, of: (part: readonly Sample[]) => number) =>
    measurement({ name, value: of(final), unit, floor: of(first), anon_mb });
  const mean = (of: (sample: Sample) => number) => (part: readonly Sample[]) =>
    meanOf(part.map(of));
  const slope = (what: string, unit: string, of: (sample: Sample) => number): string =>
    `soak: ${what}: ${slopeOf(samples.map((sample) => [sample.hours, of(sample)])).toPrecision(3)} ${unit} an hour, about ${mean(of)(samples).toPrecision(3)}`;
  return {
    measurements: [
      row('soak', 'collections/s', mean(rateOf)),
      row('soak_p50', 'ms', (of) => latencyOf(of, 0.5)),
      row('soak_p99', 'ms', (of) => latencyOf(of, 0.99)),
      row('soak_round_p99', 'ms', (of) => spreadOf(of.map(p99Of)).median),
      row(
        'soak_cpu',
        'ms',
        mean(({ cpuMs }) => cpuMs),
      ),
      row(
        'soak_machine',
        'ms',
        mean(({ machineMs }) => machineMs),
      ),
      row('soak_memory', 'MiB', mean(memoryOf)),
      row('soak_rail_memory', 'MiB', mean(railMemoryOf)),
      row('soak_lag', 's', mean(lagOf)),
      row('soak_bytes', 'bytes/collection', bytesPerCollection),
    ],
    notes: [
      `soak: ${last.collections} collections in ${last.hours.toFixed(2)} h, in ${samples.length} rounds at ${perSecond.toFixed(0)}/s`,
      `soak: ${sumOf(samples, ({ refused }) => refused)} creates were answered 503`,
      slope('p99', 'ms', p99Of),
      slope('processor time', 'ms a collection', ({ cpuMs }) => cpuMs),
      slope('memory', 'MiB', memoryOf),
      ...[...last.memory.keys()].map((name) =>
        slope(`memory of ${name}`, 'MiB', ({ memory }) => memory.get(name) ?? 0),
      ),
      slope('lag', 's', lagOf),
      slope('files', 'MiB', (sample) => filesOf(sample) / mebibyte),
    ],
    series: seriesOf(samples),
  };
}

/** Returns a quantile of all creates of a part, in milliseconds. */
function latencyOf(part: readonly Sample[], share: number): number {
  return quantile(part.flatMap(({ latencies }) => latencies).sort(ascending), share);
}

const p50Of = ({ latencies }: Sample): number => quantile(latencies, 0.5);
const p99Of = ({ latencies }: Sample): number => quantile(latencies, 0.99);
const rateOf = ({ perSecond }: Sample): number => perSecond;
/** A lag below a millisecond counts as one, so that a later lag can be compared with it. */
const lagOf = ({ maxLagSeconds }: Sample): number => Math.max(0.001, maxLagSeconds);
const railMemoryOf = ({ memory }: Sample): number => memory.get(rail) ?? 0;
const memoryOf = (sample: Sample): number =>
  sumOf([...sample.memory.values()], (mb) => mb) - railMemoryOf(sample);
const filesOf = ({ files: { log, database, rest } }: Sample): number => log + database + rest;

/** Returns the growth from the first to the last sample of a part; with one sample, its total. */
function bytesPerCollection(part: readonly Sample[]): number {
  const [from, to] = [part[0], part.at(-1)];
  if (!from || !to) return Number.NaN;
  return from === to
    ? filesOf(to) / to.collections
    : (filesOf(to) - filesOf(from)) / (to.collections - from.collections);
}

function seriesOf(samples: readonly Sample[]): Series[] {
  const line = (label: string, of: (sample: Sample) => number): Line => ({
    label,
    points: samples.map((sample) => [sample.hours * 60, of(sample)]),
  });
  const series = (what: string, y: string, lines: readonly Line[]): Series => ({
    name: `soak-${what}`,
    title: `soak: ${what}`,
    x: 'minutes',
    y,
    lines,
  });
  const processes = [...(samples[0]?.memory.keys() ?? [])];
  return [
    series('latency', 'ms', [line('p50', p50Of), line('p99', p99Of)]),
    series('processor', 'ms a collection', [line('all processes', ({ cpuMs }) => cpuMs)]),
    series('machine', 'ms', [line('fixed work', ({ machineMs }) => machineMs)]),
    series(
      'memory',
      'MiB',
      processes.map((name) => line(name, ({ memory }) => memory.get(name) ?? 0)),
    ),
    series('lag', 's', [line('projector', lagOf)]),
    series('files', 'MiB', [
      line('event log', ({ files }) => files.log / mebibyte),
      line('database', ({ files }) => files.database / mebibyte),
      line('simulator and logs', ({ files }) => files.rest / mebibyte),
    ]),
  ];
}
