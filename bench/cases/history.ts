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

/** The transactions of the small history; `--rows` is the large one. */
const small = 10_000;
const paidPerSecond = 300;
const eventsOfCollection = 4;

/** Everything that reads a merchant's history, with few and with many transactions, while payments come in. */
export const history: BenchCase = {
  name: 'history',
  seconds: 240,
  about:
    'p99 of lists with each filter, balance, statement and portal pages, one at a time, with 10 million transactions of one merchant in the log, while 300 collections a second come in. The floor is the same with 10 thousand. `history_rebuild` is the events a second of the first build of the views, `history_rebuild_memory` the projector’s memory in the last quarter of it against the second, `history_verify` the events a second that `verify` compares, and `history_reconcile` the seconds in which a day is reconciled.',
  isLong: true,
  run: async ({ fixture, seconds, rows }: Conditions): Promise<Findings> => {
    const floor = await at({ fixture, seconds: seconds / 2, rows: Math.min(small, rows) });
    const value = await at({ fixture, seconds: seconds / 2, rows });
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
        `history: while ${paidPerSecond} collections a second came in`,
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

async function at({ fixture, seconds, rows }: Omit<Conditions, 'earlier'>): Promise<Found> {
  const { log, build } = await writtenLog(fixture, rows);
  const service = await startService(fixture, { SIMULATOR_DELAY: '50ms' }, { log });
  const [reader, payer] = [new LoadGenerator(), new LoadGenerator()];
  try {
    const scene: Scene = {
      service,
      reader,
      payer,
      perSecond: fixture.scaled(paidPerSecond),
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
      verified: events / (await secondsOf(service, ['verify'])),
      anonMb: totalAnonMb(await service.usage()),
    };
  } finally {
    reader.stop();
    payer.stop();
    await service.stop();
  }
}

/** Reconciles today with the simulator's statement. @returns how long the command took, in seconds */
async function reconcile(service: Service, folder: string): Promise<number> {
  const { env, merchant } = service;
  const answer = await fetch(`http://127.0.0.1:${env['SIMULATOR_PORT'] ?? ''}/_statement.csv`);
  const file = join(folder, 'statement.csv');
  await writeFile(file, await answer.text());
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: 'Africa/Nairobi' }).format(new Date());
  const words = [
    ...['reconcile', '--merchant', merchant.merchantId, '--account', merchant.accountNo],
    ...['--date', today, '--statement', file],
  ];
  // The rail may have a payment whose report is still on its way.
  return secondsOf(service, words, { mayFind: true });
}

/**
 * @returns how long a command line took, in seconds
 * @throws if it fails, or exits with 1 because it found something, unless that may be
 */
async function secondsOf(
  { env }: Service,
  words: readonly string[],
  { mayFind = false } = {},
): Promise<number> {
  const begunAt = performance.now();
  await runCommand(env, words).catch((error: unknown) => {
    const hasFound = error instanceof Error && 'code' in error && error.code === 1;
    if (!mayFind || !hasFound) throw error;
  });
  return (performance.now() - begunAt) / 1000;
}
