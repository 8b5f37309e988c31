import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { viewSchema } from '#views/view-set';
import { type Merchant, type Service } from './service.js';

/** Bytes of log between two collections, as in a log of single collections. */
export const positionStep = 4000;

/** A growing merchant: for the first million, as many collections a day as a shop has; after that ten times as many. */
const firstDayMs = Date.parse('2025-01-01T09:00:00Z');
const dayMs = 86_400_000;
const smallRows = 1_000_000;
const rowsPerDay = { small: 2800, large: 28_000 };

/** The number of customers; each pays several times. */
const customers = 200_000;

/** @returns the day (YYYY-MM-DD) on which the row of this number was made */
export function dayOf(row: number): string {
  const days =
    Math.floor(Math.min(row, smallRows) / rowsPerDay.small) +
    Math.floor(Math.max(0, row - smallRows) / rowsPerDay.large);
  return new Date(firstDayMs + days * dayMs).toISOString().slice(0, 10);
}

/** $1 merchant, $2 account, $3 first day, rows after $4 up to $5. */
const insertRows = `
  insert into transactions
  select i::bigint * ${positionStep}, 'collection-demo:' || $1 || ':row-' || i, $1, 'demo', 'collection', 'row-' || i,
    'KES', gen_random_uuid(), $2, 'mpesa', 10000, at, at::date,
    case when i % 10 = 0 then 'failed' else 'completed' end, 10000, 150,
    'ws_CO_' || i, 'R' || i, null, false, at, at, at, null, null, md5((i % ${customers})::text), null, null,
    i::bigint * ${positionStep}, null, 'A' || i, '2547*****' || lpad((i % 1000)::text, 3, '0'), null
  from (
    select i, $3::timestamptz + interval '1 day' * (
      least(i, ${smallRows}) / ${rowsPerDay.small} + greatest(0, i - ${smallRows}) / ${rowsPerDay.large}) as at
    from generate_series($4::int + 1, $5::int) i
  ) rows`;

/** One in fifty was settled up to a month after it was requested. */
const insertListings = `
  insert into transaction_listings
  select position, merchant_id, mode, 'v4', status, created_on + late, created_on + late
  from transactions
  cross join lateral (select position / ${positionStep} as i) of_row
  cross join lateral (
    select case when status = 'failed' then null when i % 50 = 1 then 1 + (i / 50 % 30)::int else 0 end as late
  ) settled
  where position > $1::bigint * ${positionStep} and position <= $2::bigint * ${positionStep}`;

const insertDays = `
  insert into transaction_days
  select merchant_id, mode, created_on, min(position), max(position) from transactions
  where position > $1::bigint * ${positionStep} and position <= $2::bigint * ${positionStep}
  group by merchant_id, mode, created_on
  on conflict (merchant_id, mode, day) do update set
    first_position = least(transaction_days.first_position, excluded.first_position),
    last_position = greatest(transaction_days.last_position, excluded.last_position)`;

const insertFigures = `
  insert into day_figures
  select coalesce(merchant_id, ''), mode, coalesce(account_no, ''), created_on, currency, type, status, failure_code,
    under_review, count(*), sum(amount_minor), sum(fee_minor)
  from (
    select merchant_id, mode, account_no, created_on, currency, type, status, coalesce(failure_code, '') as failure_code,
      under_review, amount_minor, fee_minor
    from transactions
    where position > $1::bigint * ${positionStep} and position <= $2::bigint * ${positionStep}
  ) items
  group by mode, created_on, currency, type, status, failure_code, under_review,
    grouping sets ((merchant_id, account_no), (merchant_id), ())
  on conflict (merchant_id, mode, account_no, day, currency, type, status, failure_code, under_review) do update set
    items = day_figures.items + excluded.items, amount_minor = day_figures.amount_minor + excluded.amount_minor,
    fee_minor = day_figures.fee_minor + excluded.fee_minor`;

type Client = Pick<pg.Client, 'query'>;

/** Writes rows directly into the views, as the projector would have left them. Rows up to `from` exist already. */
export async function fill(
  database: Client,
  merchant: Merchant,
  from: number,
  to: number,
): Promise<void> {
  await withoutIndexes(database, ['transactions', 'transaction_listings'], async () => {
    await insert(database, merchant, { from, to });
  });
  for (const table of ['transactions', 'transaction_listings', 'transaction_days', 'day_figures'])
    await database.query(`vacuum analyze ${table}`);
}

async function insert(
  database: Client,
  { merchantId, accountNo }: Merchant,
  { from, to }: { readonly from: number; readonly to: number },
): Promise<void> {
  await database.query(insertRows, [merchantId, accountNo, new Date(firstDayMs), from, to]);
  await database.query(insertListings, [from, to]);
  await database.query(insertDays, [from, to]);
  await database.query(insertFigures, [from, to]);
}

/** Drops the tables' indexes while the work runs, so that millions of rows are sorted into them once. */
async function withoutIndexes(
  database: Client,
  tables: readonly string[],
  work: () => Promise<void>,
): Promise<void> {
  const { rows } = await database.query<{ name: string; definition: string }>(
    `select indexrelid::regclass::text as name, pg_get_indexdef(indexrelid) as definition from pg_index
     where indrelid = any (select to_regclass(name) from unnest($1::text[]) name)
       and not exists (select from pg_constraint where conindid = indexrelid)`,
    [tables],
  );
  for (const { name } of rows) await database.query(`drop index ${name}`);
  await work();
  await database.query("set maintenance_work_mem = '256MB'");
  for (const { definition } of rows) await database.query(definition);
}

const writtenAtOnce = 10;
const writeEveryMs = 50;

/** Writes rows at the newest end while `work` reads, over a connection of their own. */
export async function duringWrites<T>(
  service: Service,
  rows: number,
  work: () => Promise<T>,
): Promise<T> {
  const database = new pg.Client({ connectionString: service.databaseUrl });
  await database.connect();
  const stop = new AbortController();
  try {
    await database.query(`set search_path to ${viewSchema()}`);
    const working = work().finally(() => {
      stop.abort();
    });
    const [done] = await Promise.all([
      working,
      write(database, service.merchant, rows, stop.signal),
    ]);
    return done;
  } finally {
    await database.end();
  }
}

async function write(
  database: Client,
  merchant: Merchant,
  rows: number,
  stop: AbortSignal,
): Promise<void> {
  for (let from = rows; !stop.aborted; from += writtenAtOnce) {
    await database.query('begin');
    await insert(database, merchant, { from, to: from + writtenAtOnce });
    await database.query('commit');
    await sleep(writeEveryMs);
  }
}
