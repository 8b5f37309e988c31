import pg from 'pg';
import { LoadGenerator } from '../load/generator.js';
import { Lifecycles, type Round } from '../load/lifecycles.js';
import {
  type BenchCase,
  type Conditions,
  type Findings,
  type Line,
  measurement,
  type Series,
} from '../measurement.js';
import { bytesIn } from '../servers/files.js';
import { type Service, startService } from '../servers/service.js';
import { openServiceLedger } from '../servers/service-ledger.js';
import { meanOf, slopeOf, sumOf } from '../statistics.js';

/**
 * A round's sample is taken once all of it is posted. A short soak has short rounds, so that there are enough of them.
 */
const rounds = { atLeast: 20, minSeconds: 2, maxSeconds: 30 };
/** A first and a last quarter, with samples between them. */
const minSamples = 4;
const mebibyte = 1024 * 1024;

/** The state of the service after a round. */
interface Sample {
  /** Since the start. */
  readonly hours: number;
  readonly collections: number;
  readonly perSecond: number;
  readonly maxLagSeconds: number;
  /** RssAnon in MiB, by process. */
  readonly memory: ReadonlyMap<string, number>;
  /** Bytes on the disk. */
  readonly files: { readonly log: number; readonly database: number; readonly rest: number };
}

/** Lifecycles for an hour. Shows if the rate, memory, lag and bytes per collection stay the same. */
export const soak: BenchCase = {
  name: 'soak',
  seconds: 3600,
  about:
    'Lifecycles for an hour, in rounds signed ahead: rate, memory, the projector’s largest lag and the disk’s bytes a collection in the last quarter (value) against the first one (floor).',
  isLong: true,
  run: async ({ fixture, seconds }: Conditions): Promise<Findings> => {
    const service = await startService(fixture, {});
    const load = new LoadGenerator();
    const ledger = await openServiceLedger(service);
    const database = new pg.Client({ connectionString: service.databaseUrl });
    await database.connect();
    try {
      const lifecycles = new Lifecycles(ledger, service.merchant, load);
      await lifecycles.warmUp(fixture);
      return findingsOf(await follow({ service, lifecycles, database }, seconds));
    } finally {
      await database.end();
      await ledger.close();
      load.stop();
      await service.stop();
    }
  },
};

interface Scene {
  readonly service: Service;
  readonly lifecycles: Lifecycles;
  readonly database: pg.Client;
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
    const taken = await scene.lifecycles.run(roundSeconds, 0);
    samples.push(await look(scene, taken, { hours: hours(), before: samples.at(-1) }));
  }
  return samples;
}

async function look(
  { service, database }: Scene,
  taken: readonly Round[],
  { hours, before }: { readonly hours: number; readonly before: Sample | undefined },
): Promise<Sample> {
  const answered = sumOf(taken, ({ burst }) => burst.answered);
  const { rows } = await database.query<{ bytes: string }>(
    'select pg_database_size(current_database())::text as bytes',
  );
  const usage = await service.usage();
  return {
    hours,
    collections: (before?.collections ?? 0) + answered,
    perSecond: answered / sumOf(taken, ({ untilAllPosted }) => untilAllPosted),
    maxLagSeconds: Math.max(...taken.map(({ maxLagSeconds }) => maxLagSeconds)),
    memory: new Map([...usage].map(([name, { anonMb }]) => [name, anonMb])),
    files: {
      log: await bytesIn(service.folders.log),
      rest: await bytesIn(service.folders.rest),
      database: Number(rows[0]?.bytes),
    },
  };
}

function findingsOf(samples: readonly Sample[]): Findings {
  const [last] = samples.slice(-1);
  if (!last) throw new Error('too short a run to measure anything');
  const quarter = Math.ceil(samples.length / 4);
  const [first, final] = [samples.slice(0, quarter), samples.slice(-quarter)];
  const anon_mb = memoryOf(last);
  const row = (name: string, unit: string, of: (quarter: readonly Sample[]) => number) =>
    measurement({ name, value: of(final), unit, floor: of(first), anon_mb });
  const mean = (of: (sample: Sample) => number) => (quarter: readonly Sample[]) =>
    meanOf(quarter.map(of));
  const slope = (what: string, unit: string, of: (sample: Sample) => number): string =>
    `soak: ${what}: ${slopeOf(samples.map((sample) => [sample.hours, of(sample)])).toPrecision(3)} ${unit} an hour, about ${mean(of)(samples).toPrecision(3)}`;
  return {
    measurements: [
      row('soak', 'collections/s', mean(rateOf)),
      row('soak_memory', 'MiB', mean(memoryOf)),
      row('soak_lag', 's', mean(lagOf)),
      row('soak_bytes', 'bytes/collection', bytesPerCollection),
    ],
    notes: [
      `soak: ${last.collections} collections in ${last.hours.toFixed(2)} h, in ${samples.length} rounds`,
      slope('rate', 'collections/s', rateOf),
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

const rateOf = ({ perSecond }: Sample): number => perSecond;
/** A lag below a millisecond counts as one, so that a later lag can be compared with it. */
const lagOf = ({ maxLagSeconds }: Sample): number => Math.max(0.001, maxLagSeconds);
const memoryOf = ({ memory }: Sample): number => sumOf([...memory.values()], (mb) => mb);
const filesOf = ({ files: { log, database, rest } }: Sample): number => log + database + rest;

/** Returns the growth from the first to the last sample of a quarter; with one sample, its total. */
function bytesPerCollection(quarter: readonly Sample[]): number {
  const [from, to] = [quarter[0], quarter.at(-1)];
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
    series('rate', 'collections/s', [line('service', rateOf)]),
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
