import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LoadGenerator } from '../load/generator.js';
import {
  listsOf,
  measureEach,
  pagesOf,
  portalReads,
  samplesOf,
  type Scene,
  signedReads,
} from '../load/history-reads.js';
import { type BenchCase, type Conditions, type Findings, measurement } from '../measurement.js';
import { startPortal } from '../servers/portal.js';
import { untilCaughtUp } from '../servers/projection.js';
import { runCommand, type Service, startService } from '../servers/service.js';
import { totalAnonMb } from '../servers/usage.js';
import { type Build, writtenLog } from '../servers/written-log.js';
import { create } from './create.js';

/** The transactions of the small history; `--rows` is the large one. */
const small = 10_000;
/** The collections that come in: a share of the creates that the service took in the same run. Reading needs the rest. */
const rate = { ofCreates: 0.3, most: 300 };
const eventsOfCollection = 4;

/** Everything that reads a merchant's history, with few and with many transactions, while payments come in. */
export const history: BenchCase = {
  name: 'history',
  seconds: 240,
  about:
    'p99 of lists with each filter, balance, statement and portal pages, one at a time, with a long history of one merchant in the log; the notes say how many transactions. Meanwhile collections come in: 300 a second, or three tenths of the rate of `create` in the same run if that is less. The floor is the same with 10 thousand. The first build of the views is `history_rebuild`, in events a second. Its memory is `history_rebuild_memory`: the projector’s in the last quarter of the build against the second. The comparison with the log is `history_verify`, in events a second. The reconciliation of today’s payments is `history_reconcile`, in seconds.',
  isLong: true,
  floor: create,
  run: async ({ fixture, seconds, rows, earlier }: Conditions): Promise<Findings> => {
    const creates = earlier.find(({ name }) => name === create.name)?.value ?? Number.NaN;
    const perSecond = Math.min(rate.most, Math.ceil(rate.ofCreates * creates));
    const of = { fixture, perSecond, seconds: seconds / 2 };
    const floor = await at({ ...of, rows: Math.min(small, rows) });
    const value = await at({ ...of, rows });
    const pages = [...value.p99].map(([name, p99]) =>
      measurement({
        name: `history_${name}_p99`,
        value: p99,
        unit: 'ms',
        floor: floor.p99.get(name) ?? Number.NaN,
        anon_mb: value.anonMb,
      }),
    );
    const row = (name: string, unit: string, of: (found: Found) => number) =>
      measurement({
        name: `history_${name}`,
        value: of(value),
        unit,
        floor: of(floor),
        anon_mb: value.anonMb,
      });
    return {
      measurements: [
        ...pages,
        row('rebuild', 'events/s', ({ rebuilt }) => rebuilt),
        memoryOfBuild(value.build),
        row('verify', 'events/s', ({ verified }) => verified),
        row('reconcile', 's', ({ reconcileSeconds }) => reconcileSeconds),
      ],
      notes: [
        `history: ${rows} transactions; the views were built in ${value.build.seconds.toFixed(0)} s`,
        `history: while ${perSecond} collections a second came in`,
      ],
    };
  },
};

interface Found {
  /** Milliseconds, by kind. */
  readonly p99: ReadonlyMap<string, number>;
  readonly build: Build;
  /** Events a second. */
  readonly rebuilt: number;
  readonly verified: number;
  readonly reconcileSeconds: number;
  readonly anonMb: number | null;
}

/** A build reads ahead and fills its caches in the first quarter. */
function memoryOfBuild({ memory }: Build) {
  const quarter = Math.floor(memory.length / 4);
  const [early, late] = [memory.slice(quarter, 2 * quarter), memory.slice(-quarter)];
  return measurement({
    name: 'history_rebuild_memory',
    value: Math.max(...late),
    unit: 'MiB',
    floor: Math.max(...early),
    anon_mb: null,
  });
}

interface Conditioned extends Omit<Conditions, 'earlier'> {
  /** The collections that come in in a second. */
  readonly perSecond: number;
}

async function at({ fixture, seconds, rows, perSecond }: Conditioned): Promise<Found> {
  const { log, build } = await writtenLog(fixture, rows);
  const service = await startService(fixture, { SIMULATOR_DELAY: '50ms' }, { log });
  const [reader, payer] = [new LoadGenerator(), new LoadGenerator()];
  try {
    const scene: Scene = {
      service,
      reader,
      payer,
      perSecond,
      samples: await samplesOf(service, rows),
    };
    const lists = await measureEach(listsOf(scene), seconds / 2, (ask, each) =>
      signedReads(scene, ask, each),
    );
    await untilCaughtUp(service);
    // Before people have roles: after that, only a person who is signed in may reconcile.
    const reconcileSeconds = await reconcile(service, await fixture.folder('statement'));
    const portal = await startPortal(fixture, service);
    await untilCaughtUp(service);
    const pages = await measureEach(pagesOf(scene), seconds / 2, (ask, each) =>
      portalReads({ ...scene, portal }, ask, each),
    );
    const events = rows * eventsOfCollection;
    return {
      p99: new Map([...lists, ...[...pages].map(([name, p99]) => [`page_${name}`, p99] as const)]),
      build: build(),
      rebuilt: events / build().seconds,
      reconcileSeconds,
      verified: events / (await verify(service)),
      anonMb: totalAnonMb(await service.usage()),
    };
  } finally {
    reader.stop();
    payer.stop();
    await service.stop();
  }
}

/**
 * Reconciles today with the simulator's statement.
 * @returns how long the command took, in seconds
 */
async function reconcile({ env, merchant }: Service, folder: string): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${env['SIMULATOR_PORT'] ?? ''}/_statement.csv`);
  const file = join(folder, 'statement.csv');
  await writeFile(file, await answer.text());
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Africa/Nairobi' }).format(new Date());
  const words = [
    ...['reconcile', '--merchant', merchant.merchantId, '--account', merchant.accountNo],
    ...['--date', today, '--statement', file],
  ];
  const begunAt = performance.now();
  const report = JSON.parse(await runCommand(env, words).catch(reportOf)) as {
    readonly file?: { readonly lines: number };
  };
  if (!report.file?.lines) throw new Error(`nothing was reconciled: ${JSON.stringify(report)}`);
  return secondsSince(begunAt);
}

/**
 * A command that found something prints its report and exits with 1. The rail may have a payment whose report is still on
 * its way.
 */
function reportOf(error: unknown): string {
  const { code, stdout } = error as { readonly code?: unknown; readonly stdout?: unknown };
  if (code === 1 && typeof stdout === 'string' && stdout !== '') return stdout;
  throw error;
}

/**
 * Compares the views with the log.
 * @returns how long it took, in seconds
 * @throws if they differ
 */
async function verify({ env }: Service): Promise<number> {
  const begunAt = performance.now();
  await runCommand(env, ['verify']);
  return secondsSince(begunAt);
}

function secondsSince(begunAt: number): number {
  return (performance.now() - begunAt) / 1000;
}
