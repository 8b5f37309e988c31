import pg from 'pg';
import { viewSchema } from '#views/view-set';
import { encodeCursor } from '../../libs/edges/api-v4/src/transactions/cursor.js';
import { LoadGenerator } from '../load/generator.js';
import { type UnsignedRequest } from '../load/protocol.js';
import { type Findings, type Measurement, measurement, quantile } from '../measurement.js';
import { type Fixture } from '../servers/fixture.js';
import { type Service, startService } from '../servers/service.js';
import { totalAnonMb } from '../servers/usage.js';

const sizes = [
  { label: '10k', rows: 10_000 },
  { label: '1m', rows: 1_000_000 },
] as const;
const requestsPerSecond = 400;
const warmUp = 300;
const pageSize = 25;
/** Bytes of log between two collections, as in a log of single collections. */
const positionStep = 4000;
const rowsPerDay = 2800;

/**
 * Pages of GET /api/v4/transactions, one request at a time: newest, from a random cursor, by status, by day; then those
 * of reconciliation, a day's and a month's by completion and by payment, in a history in which much was settled late.
 */
export async function list(fixture: Fixture, seconds: number): Promise<Findings> {
  const service = await startService(fixture, {});
  const load = new LoadGenerator();
  const database = new pg.Client({ connectionString: service.databaseUrl });
  await database.connect();
  try {
    await database.query(`set search_path to ${viewSchema()}`);
    const measurements: Measurement[] = [];
    let filled = 0;
    for (const { label, rows } of sizes) {
      await fill(database, service, filled, rows);
      filled = rows;
      measurements.push(
        ...(await measureAt(
          { label, rows, seconds: seconds / sizes.length },
          service,
          load,
          database,
        )),
      );
    }
    return { measurements: [...measurements, ...growth(measurements)], notes: [] };
  } finally {
    await database.end();
    load.stop();
    await service.stop();
  }
}

interface Size {
  readonly label: string;
  readonly rows: number;
  readonly seconds: number;
}

async function measureAt(
  { label, rows, seconds }: Size,
  service: Service,
  load: LoadGenerator,
  database: pg.Client,
): Promise<Measurement[]> {
  const { merchantId } = service.merchant;
  const floor = await barePages(database, merchantId, { rows, seconds: seconds / 4 });
  const kinds = [
    ['list', queries],
    ['list_by_day', (of: number) => reconciliation(of, 1)],
    ['list_by_month', (of: number) => reconciliation(of, 30)],
  ] as const;
  const measurements: Measurement[] = [];
  for (const [name, of] of kinds) {
    const latencies = await sendAll(service, load, of(rows), seconds / kinds.length);
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
  load: LoadGenerator,
  of: Queries,
  seconds: number,
): Promise<readonly number[]> {
  const shot = { port, connections: 1, withinMs: seconds * 1000 };
  await load.sign(merchant, pages(warmUp, of));
  await load.send(shot);
  await load.sign(merchant, pages(Math.ceil(seconds * requestsPerSecond), of));
  const { latencies, statuses } = await load.send(shot);
  if (Object.keys(statuses).some((status) => status !== '200'))
    throw new Error(`lists were answered ${JSON.stringify(statuses)}: nothing was measured`);
  return latencies;
}

/** How much slower a hundred times as many rows are: value and floor are the two sizes' p99. */
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
    () => `?from=${randomDay(rows)}&to=${lastDay}`,
  ];
}

/** A statement's days: by completion and by payment, of one status or of all, from the first page and from within. */
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

const lastDay = '2026-10-31';
const newestMs = Date.parse(`${lastDay}T09:00:00Z`);
const dayMs = 86_400_000;

function randomPosition(rows: number): number {
  return (1 + Math.floor(Math.random() * rows)) * positionStep;
}

function randomDay(rows: number): string {
  const daysBack = Math.floor((Math.random() * rows) / rowsPerDay);
  return new Date(newestMs - daysBack * dayMs).toISOString().slice(0, 10);
}

const barePage = {
  name: 'bare-page',
  text: `select * from transactions where merchant_id = $1 and mode = 'demo' and position < $2
         order by position desc limit $3`,
};

/** The same page by bare SQL on one connection. @returns milliseconds, ascending */
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
  return latencies.sort((a, b) => a - b);
}

const insertRows = `
  insert into transactions
  select i::bigint * ${positionStep}, 'collection-demo:' || $1 || ':row-' || i, $1, 'demo', 'collection', 'row-' || i,
    'KES', gen_random_uuid(), $2, 'mpesa', 10000, at, at::date,
    case when i % 10 = 0 then 'failed' else 'completed' end, 10000, 150,
    'ws_CO_' || i, 'R' || i, null, false, at, at, at
  from (
    select i, $3::timestamptz - ((1000000 - i) / ${rowsPerDay}) * interval '1 day' as at
    from generate_series($4::int + 1, $5::int) i
  ) rows`;

/** One in fifty was settled up to a month after it was asked for. */
const insertListings = `
  insert into transaction_listings
  select position, merchant_id, mode, type, status, created_on + late, created_on + late
  from transactions
  cross join lateral (select position / ${positionStep} as i) of_row
  cross join lateral (
    select case when status = 'failed' then null when i % 50 = 1 then 1 + (i / 50 % 30)::int else 0 end as late
  ) settled
  where position / ${positionStep} > $1 and position / ${positionStep} <= $2`;

const insertDays = `
  insert into transaction_days
  select merchant_id, mode, created_on, min(position), max(position) from transactions
  group by merchant_id, mode, created_on
  on conflict (merchant_id, mode, day) do update set
    first_position = least(transaction_days.first_position, excluded.first_position),
    last_position = greatest(transaction_days.last_position, excluded.last_position)`;

/** Rows straight into the view, as the projector would have left them. */
async function fill(
  database: pg.Client,
  { merchant: { merchantId, accountNo } }: Service,
  from: number,
  to: number,
): Promise<void> {
  const values = [merchantId, accountNo, new Date(newestMs), from, to];
  await database.query(insertRows, values);
  await database.query(insertListings, [from, to]);
  await database.query(insertDays);
  for (const table of ['transactions', 'transaction_listings'])
    await database.query(`vacuum analyze ${table}`);
  await database.query('analyze transaction_days');
}
