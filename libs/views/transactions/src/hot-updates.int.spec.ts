import {
  accept,
  HandMadeLog,
  intend,
  onboarded,
  patientPool,
  pay,
  startOwnPostgres,
} from '#testing';
import { type RecordedEvent } from '#domain/event-sourcing';
import { Database, migrateRecords } from '#infra/postgres';
import { createLogger } from '#infra/runtime';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { applyBatch } from '#views/projection';
import {
  advanceCheckpoint,
  createViews,
  noteFresh,
  readCheckpoint,
  viewSchema,
} from '#views/view-set';

let server: Awaited<ReturnType<typeof startOwnPostgres>>;
let database: Database;
beforeAll(async () => {
  // If a session of any database holds a snapshot, Postgres is slow to remove a row's old version, and its page fills
  // up. So this spec has a server of its own.
  server = await startOwnPostgres();
  const logger = createLogger({ app: 'spec', level: 'fatal' });
  // One connection, so that the test can have its counters written.
  const options = {
    ...patientPool,
    url: server.url,
    app: 'spec',
    logger,
    searchPath: [viewSchema()],
    poolSize: 1,
  };
  database = new Database(options);
  await migrateRecords(database);
  await createViews(database, viewSchema());
});
afterAll(async () => {
  await database.close();
  await server.stop();
});

const collections = 600;
const atOnce = 20;

/** Projects like a projector under load: batch after batch, each with intents, acceptances and payments of just now. */
async function project(log: HandMadeLog): Promise<void> {
  let projected = 0;
  const batch = async (): Promise<void> => {
    const events: readonly RecordedEvent[] = log.events.slice(projected);
    projected = log.events.length;
    const { position = 0n } = events.at(-1) ?? {};
    await database.transaction(async (transaction) => {
      await advanceCheckpoint(transaction, await readCheckpoint(transaction), { position });
      await applyBatch(transaction, events);
    });
    await noteFresh(database, position, new Date());
  };
  const pushed: string[] = [];
  const paid: string[] = [];
  for (let begun = 0; begun < collections + 2 * atOnce; begun += atOnce) {
    for (const stream of paid.splice(0)) pay(log, stream);
    for (const stream of pushed.splice(0)) {
      accept(log, stream);
      paid.push(stream);
    }
    for (let index = 0; index < atOnce && begun < collections; index += 1)
      pushed.push(intend(log, `R${begun + index}`));
    await batch();
  }
}

it('most updates of the views stay in their page and touch no index', async () => {
  await project(onboarded(new HandMadeLog()));
  await database.query('select pg_stat_force_next_flush()');
  const counted = await database.query<{ table: string; updates: number; hot: number }>(
    `select relname as table, n_tup_upd::int as updates, n_tup_hot_upd::int as hot
       from pg_stat_user_tables
      where schemaname = $1 and relname = any($2) order by relname`,
    [viewSchema(), ['transactions', 'balances', 'checkpoint', 'rail_queries', 'transaction_days']],
  );
  expect(counted.map(({ table }) => table)).toEqual([
    'balances',
    'checkpoint',
    'rail_queries',
    'transaction_days',
    'transactions',
  ]);
  expect(counted.find(({ table }) => table === 'transactions')?.updates).toBe(2 * collections);
  for (const { table, updates, hot } of counted) {
    expect([table, updates > 0]).toEqual([table, true]);
    expect([table, hot / updates > 0.8]).toEqual([table, true]);
  }
});
