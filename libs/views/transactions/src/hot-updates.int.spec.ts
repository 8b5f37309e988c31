import {
  accept,
  HandMadeLog,
  intend,
  onboarded,
  pay,
  throwAwayDatabase,
  type ThrowAwayDatabase,
} from '#testing';
import { type RecordedEvent } from '#domain/event-sourcing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { applyBatch } from '#views/projection';
import {
  advanceCheckpoint,
  createViews,
  noteFresh,
  readCheckpoint,
  viewSchema,
} from '#views/view-set';

let own: ThrowAwayDatabase;
beforeAll(async () => {
  // One connection, whose counters can be told to be written.
  own = await throwAwayDatabase({ searchPath: [viewSchema()], poolSize: 1 });
  await createViews(own.database, viewSchema());
});
afterAll(() => own.drop());

const collections = 600;
const atOnce = 20;

/** As a projector under load does: batch after batch, each over what began, was accepted and was paid just now. */
async function project(log: HandMadeLog): Promise<void> {
  let projected = 0;
  const batch = async (): Promise<void> => {
    const events: readonly RecordedEvent[] = log.events.slice(projected);
    projected = log.events.length;
    const { position = 0n } = events.at(-1) ?? {};
    await own.database.transaction(async (transaction) => {
      await advanceCheckpoint(transaction, await readCheckpoint(transaction), { position });
      await applyBatch(transaction, events);
    });
    await noteFresh(own.database, position, new Date());
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
  await own.database.query('select pg_stat_force_next_flush()');
  const counted = await own.database.query<{ table: string; updates: number; hot: number }>(
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
}, 60_000);
