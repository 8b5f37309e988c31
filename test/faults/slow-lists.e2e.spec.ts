import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually, type Service, startService } from '#testing';
import { viewSchema } from '#views/view-set';
import pg from 'pg';

let service: Service;
/** One holds the lock, the other watches: within a transaction pg_stat_activity does not change. */
let holder: pg.Client;
let observer: pg.Client;
beforeAll(async () => {
  service = await startService();
  const connectionString = service.env['DATABASE_URL'] ?? '';
  [holder, observer] = [new pg.Client({ connectionString }), new pg.Client({ connectionString })];
  await Promise.all([holder.connect(), observer.connect()]);
});
afterAll(async () => {
  await Promise.all([holder.end(), observer.end()]);
  await service.stop();
});

/** The number of the API's statements that wait for a lock. */
async function held(): Promise<number> {
  const { rows } = await observer.query<{ count: number }>(
    `select count(*)::int from pg_stat_activity
      where datname = current_database() and application_name = 'pesapost-api' and wait_event_type = 'Lock'`,
  );
  return rows[0]?.count ?? 0;
}

it('lists that hold every connection they can get keep no create waiting', async () => {
  const { merchant } = service;
  await merchant.collect({ reference: 'before' });
  // A list by status reads this table, and waits for it until its statement times out; no create reads it.
  await holder.query('begin');
  await holder.query(`lock table ${viewSchema()}.transaction_listings in access exclusive mode`);
  let isOver = false;
  const lists = Array.from({ length: 20 }, async () => {
    while (!isOver) await merchant.get('/api/v4/transactions?status=completed');
  });
  await eventually(held, (count) => count >= 6);
  const created: number[] = [];
  for (let index = 0; index < 10; index += 1)
    created.push((await merchant.collect({ reference: `during-${index}` })).status);
  isOver = true;
  await holder.query('rollback');
  await Promise.all(lists);
  expect(created).toEqual(Array.from({ length: 10 }, () => 202));
});
