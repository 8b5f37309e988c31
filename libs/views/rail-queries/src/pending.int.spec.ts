import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createViews, viewSchema } from '#views/view-set';
import { throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { listPending } from './pending.js';

let own: ThrowAwayDatabase;
beforeAll(async () => {
  own = await throwAwayDatabase({ searchPath: [viewSchema()] });
  await createViews(own.database, viewSchema());
});
afterAll(() => own.drop());

const declined = 20_000;

it('the list of what is pending reads none of the collections that were ever declined', async () => {
  // The first one waits; the others were declined.
  await own.database.query(
    `insert into transactions
       select n, 'stream-' || n, 'm-1', 'demo', 'collection', 'R-' || n, 'KES', gen_random_uuid(), '1001', 'mpesa',
         100, records.now_(), records.now_()::date, case n when 1 then 'pending' else 'failed' end, 100, 0,
         'ws_' || n, null, null, false, null, null, null
       from generate_series(1, $1) n`,
    [declined + 1],
  );
  await own.database.query(
    `insert into rail_queries
       select stream, mode, rail_reference, created_at, status = 'failed' from transactions`,
  );
  await own.database.query('analyze rail_queries, transactions');
  const read = await own.database.transaction(async (transaction) => {
    expect(await listPending(transaction, { limit: 10 })).toMatchObject([{ reference: 'R-1' }]);
    const [row] = await transaction.query<{ read: number }>(
      `select (seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as read
         from pg_stat_xact_user_tables where relname = 'rail_queries' and schemaname = $1`,
      [viewSchema()],
    );
    return row?.read;
  });
  expect(read).toBeLessThan(declined / 100);
});
