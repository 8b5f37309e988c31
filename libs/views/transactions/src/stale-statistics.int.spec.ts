import { rowsRead, throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { packageDirectory } from '#infra/runtime';
import { createViews, viewSchema } from '#views/view-set';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pageStatement } from './query.js';

const analyzed = 75_000;
const rows = 2 * analyzed;
const rowsPerDay = 1000;
const newestDay = '2026-10-31';
const of = { merchantId: 'm-1', mode: 'demo' } as const;

let own: ThrowAwayDatabase;
beforeAll(async () => {
  own = await throwAwayDatabase({ searchPath: [viewSchema()], statementTimeoutMs: 120_000 });
  await createViews(own.database, viewSchema());
}, 300_000);
afterAll(() => own.drop());

/**
 * Items from one number to another. Only those of the newer half belong to a second merchant in part, fail, wait, or
 * are payouts: the statistics of the older half know none of this.
 */
async function fill(first: number, last: number): Promise<void> {
  const { database } = own;
  await database.query(
    `insert into transactions (position, stream, merchant_id, mode, type, reference, currency, id, account_no, channel,
       requested_minor, created_at, created_on, status, amount_minor, fee_minor, under_review)
     select i * 10, 'collection-demo:m-1:R' || i, case when i > $5 and i % 5 = 0 then 'm-2' else 'm-1' end, 'demo',
       case when i > $5 and i % 401 = 0 then 'payout' else 'collection' end, 'R' || i, 'KES', gen_random_uuid(),
       case when i > $5 and i % 10 = 3 then '1002' else '1001' end, 'mpesa', 100, now(), $2::date - ($1 - i) / $3,
       case when i > $5 and i % 50 = 7 then 'failed' when i > $5 and i % 500 = 9 then 'pending' else 'completed' end,
       100, 2, false
     from generate_series($4::int, $6::int) i`,
    [rows, newestDay, rowsPerDay, first, analyzed, last],
  );
  await database.query(
    `insert into transaction_listings
     select position, merchant_id, mode, case type when 'payout' then type else 'v4' end, status, case when status <> 'pending' then created_on end,
       case when status = 'completed' then created_on end
     from transactions where position between $1 and $2`,
    [first * 10, last * 10],
  );
}

/** The storage parameters for autovacuum of the hot tables, by table. */
function parameters(): Promise<{ readonly name: string; readonly options: string }[]> {
  return own.database.query(
    `select c.oid::regclass::text as name, string_agg(option, ' ' order by option) as options
       from pg_class c cross join unnest(c.reloptions) option
      where option like 'autovacuum%' group by 1 order by 1`,
  );
}

const analyzedAfter = (threshold: number): string[] => [
  'autovacuum_analyze_scale_factor=1',
  `autovacuum_analyze_threshold=${threshold}`,
];
const vacuumedInSteps = [
  'autovacuum_vacuum_insert_scale_factor=0',
  'autovacuum_vacuum_insert_threshold=20000',
];
const appended = [...analyzedAfter(1000), ...vacuumedInSteps, 'autovacuum_freeze_min_age=0'];

describe('hot tables have storage parameters of their own', () => {
  it('are analyzed in proportion to their growth, and vacuumed in steps', async () => {
    const found = new Map((await parameters()).map(({ name, options }) => [name, options]));
    const wanted: Record<string, string[]> = {
      ledger_entries: appended,
      'records.sealed_messages': appended,
      transactions: [
        ...[...analyzedAfter(1000), ...vacuumedInSteps],
        ...['autovacuum_vacuum_scale_factor=0', 'autovacuum_vacuum_threshold=20000'],
      ],
      transaction_listings: [
        ...analyzedAfter(1000),
        ...['autovacuum_vacuum_cost_delay=10', 'autovacuum_vacuum_insert_threshold=-1'],
      ],
      balances: analyzedAfter(20_000),
      rail_queries: analyzedAfter(100_000),
    };
    for (const [name, options] of Object.entries(wanted))
      expect([name, found.get(name)?.split(' ').sort()]).toEqual([name, options.sort()]);
  });

  it('also in sets of views that were made before', async () => {
    const ofNewSet = await parameters();
    for (const { name, options } of ofNewSet) {
      const names = options.split(' ').map((option) => option.split('=')[0]);
      await own.database.query(`alter table ${name} reset (${names.join(', ')})`);
    }
    expect(await parameters()).toEqual([]);
    for (const name of ['0068_analyze_by_growth', '0088_vacuum_in_steps']) {
      const file = join(packageDirectory('migrations', 'records'), `${name}.sql`);
      await own.database.query(await readFile(file, 'utf8'));
    }
    expect(await parameters()).toEqual(ofNewSet);
  });
});

describe('a table that has doubled since its statistics', () => {
  beforeAll(async () => {
    const tables = ['transactions', 'transaction_listings'];
    // Autovacuum must not renew the statistics in the middle of this spec.
    for (const table of tables)
      await own.database.query(`alter table ${table} set (autovacuum_enabled = false)`);
    await fill(1, analyzed);
    for (const table of tables) await own.database.query(`vacuum analyze ${table}`);
    await fill(analyzed + 1, rows);
    await own.database.query(
      `insert into transaction_days select merchant_id, mode, created_on, min(position), max(position)
       from transactions group by 1, 2, 3`,
    );
    await own.database.query('update checkpoint set fresh_at = now()');
  }, 300_000);

  it.each([
    ['the newest', {}],
    ['a status', { status: 'completed' }],
    ['a status that the statistics do not know', { status: 'failed' }],
    ['a rare one', { status: 'pending' }],
    ['payouts, which they do not know', { type: 'payout' }],
    ['failed payouts', { type: 'payout', status: 'failed' }],
    ['a merchant that they do not know', { merchantId: 'm-2', status: 'failed' }],
    ['the newest of that merchant', { merchantId: 'm-2' }],
    ['an account that they do not know', { accountNo: '1002' }],
    ['a new day', { from: '2026-10-30', to: '2026-10-30' }],
    ['a status on new days', { status: 'failed', from: '2026-10-01', to: '2026-10-30' }],
    ['deep in the list', { status: 'failed', before: BigInt(analyzed) * 11n }],
  ] as const)('still lists a page by creation from few rows: %s', async (_, filter) => {
    const page = { ...of, dateField: 'created_at', limit: 25, ...filter } as const;
    expect(await rowsRead(own.database, pageStatement(page))).toBeLessThan(1500);
  });

  it.each([
    ['a new day', { from: '2026-10-30', to: '2026-10-30' }],
    ['a new month', { from: '2026-10-01', to: '2026-10-31' }],
    ['a rare status', { from: '2026-10-01', to: '2026-10-31', status: 'failed' }],
    ['another merchant', { from: '2026-10-01', to: '2026-10-31', merchantId: 'm-2' }],
    ['an old day', { from: '2026-07-01', to: '2026-07-01' }],
  ] as const)(
    'still lists a page by completion or payment from few rows: %s',
    async (_, filter) => {
      for (const dateField of ['completed_at', 'paid_at'] as const) {
        const page = { ...of, dateField, limit: 25, ...filter };
        expect(await rowsRead(own.database, pageStatement(page))).toBeLessThan(5000);
      }
    },
  );
});
