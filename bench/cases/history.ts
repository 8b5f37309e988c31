import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { packageDirectory } from '#infra/postgres';
import { encodeCursor } from '#views/transactions';
import { viewSchema } from '#views/view-set';
import { refuseOthersThan } from '../load/bursts.js';
import { createCalls } from '../load/collection-requests.js';
import { LoadGenerator } from '../load/generator.js';
import { type UnsignedRequest } from '../load/protocol.js';
import { type BenchCase, type Conditions, type Findings, measurement } from '../measurement.js';
import { insertClaims } from '../servers/history.js';
import { type Portal, startPortal } from '../servers/portal.js';
import { untilCaughtUp } from '../servers/projection.js';
import { type Service, startService } from '../servers/service.js';
import { totalAnonMb } from '../servers/usage.js';
import { type Build, writtenLog } from '../servers/written-log.js';
import { ascending, quantile } from '../statistics.js';

/** The transactions of the small history; `--rows` is the large one. */
const small = 10_000;
const paidPerSecond = 300;
const pagesPerSecond = 200;
const warmUp = 20;
const eventsOfCollection = 4;
const dayMs = 86_400_000;

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
  const service = await startService(fixture, { SIMULATOR_DELAY: '50ms' }, log);
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

/** Values to ask for, at random places of the history. */
interface Sample {
  readonly reference: string;
  readonly position: string;
  readonly day: string;
}

interface Scene {
  readonly service: Service;
  readonly reader: LoadGenerator;
  readonly payer: LoadGenerator;
  /** The collections that come in meanwhile. */
  readonly perSecond: number;
  readonly samples: readonly Sample[];
}

async function samplesOf({ databaseUrl }: Service, rows: number): Promise<readonly Sample[]> {
  const database = new pg.Client({ connectionString: databaseUrl });
  await database.connect();
  try {
    await database.query(`set search_path to ${viewSchema()}`);
    await database.query(insertClaims);
    await database.query('vacuum analyze');
    const { rows: found } = await database.query<Sample>(
      `select reference, position::text, created_on::text as day
       from transactions where mod(abs(hashtext(stream)), greatest(1, $1::int / 1000)) = 0 limit 1000`,
      [rows],
    );
    return found;
  } finally {
    await database.end();
  }
}

type Ask = () => string;

/** @returns the p99 of each kind in milliseconds */
async function measureEach(
  kinds: Readonly<Record<string, Ask>>,
  seconds: number,
  read: (ask: Ask, seconds: number) => Promise<readonly number[]>,
): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>();
  for (const [name, ask] of Object.entries(kinds))
    found.set(name, quantile(await read(ask, seconds / Object.keys(kinds).length), 0.99));
  return found;
}

function any<T>(items: readonly T[]): T {
  const item = items[Math.floor(Math.random() * items.length)];
  if (item === undefined) throw new Error('there is nothing to ask for');
  return item;
}

function listsOf({ samples, service }: Scene): Readonly<Record<string, Ask>> {
  const { accountNo } = service.merchant;
  const list =
    (query: () => string): Ask =>
    () =>
      `/api/v4/transactions${query()}`;
  const day = (): string => any(samples).day;
  const week = (): string => {
    const from = day();
    const to = new Date(Date.parse(from) + 6 * dayMs).toISOString().slice(0, 10);
    return `from=${from}&to=${to}`;
  };
  const cursor = (): string => `cursor=${encodeCursor(BigInt(any(samples).position))}`;
  return {
    list: list(() => ''),
    list_within: list(() => `?${cursor()}`),
    list_status: list(() => `?status=completed&${cursor()}`),
    list_failed: list(() => '?status=failed'),
    list_type: list(() => '?type=payout'),
    list_created: list(() => `?${week()}`),
    list_completed: list(() => `?date_field=completed_at&${week()}`),
    list_paid: list(() => `?date_field=paid_at&status=completed&${week()}&${cursor()}`),
    collection: () => `/api/v4/collections/${any(samples).reference}`,
    balance: () => `/api/v4/accounts/${accountNo}/balance`,
  };
}

function pagesOf({ samples, service }: Scene): Readonly<Record<string, Ask>> {
  const { merchantId, accountNo } = service.merchant;
  const base = `/portal/merchants/${merchantId}/demo`;
  const day = (): string => any(samples).day;
  return {
    home: () => `${base}/home`,
    list: () => `${base}/transactions`,
    list_status: () => `${base}/transactions?status=failed`,
    item: () => `${base}/items/collection/${any(samples).reference}`,
    days: () => `${base}/days`,
    day: () => `${base}/days/${day()}`,
    statement: () => `${base}/statement?account=${accountNo}`,
    merchants: () => '/portal/merchants',
    reviews: () => '/portal/reviews',
  };
}

/** @returns milliseconds of each answer, ascending */
async function signedReads(scene: Scene, ask: Ask, seconds: number): Promise<readonly number[]> {
  const { service, reader } = scene;
  const reads = (count: number): UnsignedRequest[] =>
    Array.from({ length: count }, () => ({ method: 'GET', url: ask() }));
  await reader.sign(service.merchant, reads(warmUp + Math.ceil(seconds * pagesPerSecond)));
  return whilePaid(scene, seconds, async () => {
    const burst = await reader.send({
      port: service.port,
      connections: 1,
      withinMs: seconds * 1000,
    });
    refuseOthersThan(200, burst);
    return burst.latencies;
  });
}

/** @returns milliseconds of each answer, ascending */
function portalReads(
  scene: Scene & { readonly portal: Portal },
  ask: Ask,
  seconds: number,
): Promise<readonly number[]> {
  return whilePaid(scene, seconds, async () => {
    const times: number[] = [];
    const endAt = performance.now() + seconds * 1000;
    while (performance.now() < endAt || times.length < 2) {
      const target = ask();
      const answer = await scene.portal.ask(target);
      if (answer.status !== 200) throw new Error(`${target} was answered ${answer.status}`);
      times.push(answer.ms);
    }
    return times.sort(ascending);
  });
}

/** Reads while collections come in. They are signed before, and all must be taken. */
async function whilePaid<T>(
  { service, payer, perSecond }: Scene,
  seconds: number,
  read: () => Promise<T>,
): Promise<T> {
  const { merchant, port } = service;
  await payer.sign(merchant, createCalls(Math.ceil(perSecond * seconds), merchant.accountNo));
  const sending = payer.send({
    port,
    connections: 256,
    perSecond,
    withinMs: seconds * 1000,
  });
  const [found, burst] = await Promise.all([read(), sending]);
  refuseOthersThan(202, burst);
  return found;
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
  const main = packageDirectory('dist', 'apps/cli/src/main.js');
  const begunAt = performance.now();
  await promisify(execFile)(process.execPath, [main, ...words, '--json'], {
    cwd: packageDirectory(),
    env: { ...process.env, ...env },
    maxBuffer: 1 << 30,
  }).catch((error: unknown) => {
    const hasFound = error instanceof Error && 'code' in error && error.code === 1;
    if (!mayFind || !hasFound) throw error;
  });
  return (performance.now() - begunAt) / 1000;
}
