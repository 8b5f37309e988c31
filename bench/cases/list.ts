import pg from 'pg';
import { viewSchema } from '#views/view-set';
import { encodeCursor } from '#views/transactions';
import { refuseOthersThan } from '../load/bursts.js';
import { LoadGenerator } from '../load/generator.js';
import { type UnsignedRequest } from '../load/protocol.js';
import {
  type BenchCase,
  type Conditions,
  type Findings,
  type Measurement,
  measurement,
  type Series,
} from '../measurement.js';
import { type Service, startService } from '../servers/service.js';
import { totalAnonMb } from '../servers/usage.js';
import { ascending, quantile } from '../statistics.js';
import { dayOf, duringWrites, fill, positionStep } from '../servers/list-rows.js';

/** Smaller lists than the largest, whose size is a setting. */
const smallerSizes = [10_000, 1_000_000];
const requestsPerSecond = 400;
const warmUp = 300;
const pageSize = 25;
/**
 * Pages of GET /api/v4/transactions, one request at a time: newest, from a random cursor, by status, by day. Then the
 * pages of reconciliation, a day's and a month's by completion and by payment, in a history with many late settlements.
 */
export const list: BenchCase = {
  name: 'list',
  seconds: 30,
  about:
    'p50 and p99 of `GET /api/v4/transactions`, one at a time, of a merchant of 10 thousand, 1 million and 10 million rows. With the most rows, 200 a second are written meanwhile. The floor is the newest-first page by bare SQL on one connection. `list_p99_growth` is the p99 at 1 million against that at 10 thousand.',
  run: measure,
};

async function measure({ fixture, seconds, rows: largest }: Conditions): Promise<Findings> {
  const service = await startService(fixture, {});
  const load = new LoadGenerator();
  const database = new pg.Client({ connectionString: service.databaseUrl });
  await database.connect();
  try {
    await database.query(`set search_path to ${viewSchema()}`);
    const measurements: Measurement[] = [];
    const sizes = [...smallerSizes.filter((rows) => rows < largest), largest];
    let filled = 0;
    for (const rows of sizes) {
      await fill(database, service.merchant, filled, rows);
      filled = rows;
      const size = { label: labelOf(rows), rows, seconds: seconds / sizes.length };
      const at = () => measureAt(size, service, { load, database, warmUp: fixture.scaled(warmUp) });
      measurements.push(...(rows === largest ? await duringWrites(service, rows, at) : await at()));
    }
    return {
      measurements: [...measurements, ...growth(measurements)],
      notes: [],
      series: [seriesOf(measurements, sizes)],
    };
  } finally {
    await database.end();
    load.stop();
    await service.stop();
  }
}

function labelOf(rows: number): string {
  return rows >= 1_000_000 ? `${rows / 1_000_000}m` : `${rows / 1000}k`;
}

function seriesOf(measurements: readonly Measurement[], sizes: readonly number[]): Series {
  const line = (kind: string, of: 'value' | 'floor') =>
    sizes.map((rows) => {
      const found = measurements.find(({ name }) => name === `${kind}_${labelOf(rows)}_p99`);
      return [rows, found?.[of] ?? Number.NaN] as const;
    });
  return {
    name: 'list',
    title: 'list: p99 by rows of the merchant',
    x: 'rows',
    y: 'ms',
    isLogarithmic: { x: true },
    lines: [
      { label: 'newest, cursor, status, day', points: line('list', 'value') },
      { label: 'one day', points: line('list_by_day', 'value') },
      { label: 'one month', points: line('list_by_month', 'value') },
      { label: 'bare SQL', points: line('list', 'floor') },
    ],
  };
}

interface Means {
  readonly load: LoadGenerator;
  readonly database: pg.Client;
  /** The number of pages that are requested before the measurement. */
  readonly warmUp: number;
}

interface Size {
  readonly label: string;
  readonly rows: number;
  readonly seconds: number;
}

async function measureAt(
  { label, rows, seconds }: Size,
  service: Service,
  means: Means,
): Promise<Measurement[]> {
  const { merchantId } = service.merchant;
  const floor = await barePages(means.database, merchantId, { rows, seconds: seconds / 4 });
  const kinds = [
    ['list', queries],
    ['list_by_day', (of: number) => reconciliation(of, 1)],
    ['list_by_month', (of: number) => reconciliation(of, 30)],
  ] as const;
  const measurements: Measurement[] = [];
  for (const [name, of] of kinds) {
    const latencies = await sendAll(service, means, of(rows), seconds / kinds.length);
    const anon_mb = totalAnonMb(await service.usage());
    measurements.push(
      ...[0.5, 0.99].map((share) =>
        measurement({
          name: `${name}_${label}_p${share * 100}`,
          value: quantile(latencies, share),
          unit: 'ms',
          floor: quantile(floor, share),
          anon_mb,
        }),
      ),
    );
  }
  return measurements;
}

/** @returns milliseconds of each answer, ascending */
async function sendAll(
  { merchant, port }: Service,
  { load, warmUp: before }: Means,
  of: Queries,
  seconds: number,
): Promise<readonly number[]> {
  const shot = { port, connections: 1, withinMs: seconds * 1000 };
  await load.sign(merchant, pages(before, of));
  await load.send(shot);
  await load.sign(merchant, pages(Math.ceil(seconds * requestsPerSecond), of));
  const burst = await load.send(shot);
  refuseOthersThan([200], burst);
  return burst.latencies;
}

/** Compares with a hundred times as many rows: value and floor are the two sizes' p99. */
function growth(measurements: readonly Measurement[]): Measurement[] {
  const p99 = (label: string): Measurement | undefined =>
    measurements.find(({ name }) => name === `list_${label}_p99`);
  const [small, large] = [p99('10k'), p99('1m')];
  if (!small || !large) return [];
  const { value, unit, anon_mb } = large;
  return [measurement({ name: 'list_p99_growth', value, unit, floor: small.value, anon_mb })];
}

type Queries = readonly (() => string)[];

function pages(count: number, of: Queries): UnsignedRequest[] {
  return Array.from({ length: count }, (_, index) => ({
    method: 'GET',
    url: `/api/v4/transactions${of[index % of.length]?.() ?? ''}`,
  }));
}

function queries(rows: number): Queries {
  return [
    () => '',
    () => `?cursor=${encodeCursor(BigInt(randomPosition(rows)))}`,
    () => '?status=completed',
    () => `?from=${randomDay(rows)}&to=${dayOf(rows)}`,
  ];
}

/**
 * Returns the queries for a statement's days: by completion and by payment, of one status or of all, from the first
 * page and from later ones.
 */
function reconciliation(rows: number, days: number): Queries {
  const range = (): string => {
    const from = randomDay(rows);
    const to = new Date(Date.parse(from) + (days - 1) * dayMs).toISOString().slice(0, 10);
    return `from=${from}&to=${to}`;
  };
  return [
    () => `?date_field=paid_at&status=completed&${range()}`,
    () => `?date_field=completed_at&${range()}`,
    () => `?date_field=paid_at&${range()}&cursor=${encodeCursor(BigInt(randomPosition(rows)))}`,
  ];
}

const dayMs = 86_400_000;

function randomPosition(rows: number): number {
  return (1 + Math.floor(Math.random() * rows)) * positionStep;
}

/** Returns the day of a random row. */
function randomDay(rows: number): string {
  return dayOf(1 + Math.floor(Math.random() * rows));
}

const barePage = {
  name: 'bare-page',
  text: `select * from transactions where merchant_id = $1 and mode = 'demo' and position < $2
         order by position desc limit $3`,
};

/** Reads the same page with bare SQL on one connection. @returns milliseconds, ascending */
async function barePages(
  database: pg.Client,
  merchantId: string,
  { rows, seconds }: { readonly rows: number; readonly seconds: number },
): Promise<number[]> {
  const latencies: number[] = [];
  const endAt = performance.now() + seconds * 1000;
  while (performance.now() < endAt) {
    const sentAt = performance.now();
    await database.query({
      ...barePage,
      values: [merchantId, randomPosition(rows), pageSize + 1],
    });
    latencies.push(performance.now() - sentAt);
  }
  return latencies.sort(ascending);
}
