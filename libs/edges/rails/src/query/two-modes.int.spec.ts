import { afterAll, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { type QueryOutcome } from '#domain/rails';
import { InboxStep } from '../inbox/inbox-step.js';
import { PayoutQueries } from '../payouts/payout-queries.js';
import { OverdueCollections } from '../timeouts/timeout-step.js';
import { QueryStep } from './query-step.js';
import { declinedCallback, RailHarness } from '../../../../../test/rail/harness.js';

let harness: RailHarness;
beforeAll(async () => {
  harness = await RailHarness.start();
});
afterAll(() => harness.stop());
beforeEach(async () => {
  for (const table of ['rail_queries', 'open_payouts', 'records.rail_query_attempts'])
    await harness.database.query(`delete from ${table}`);
});

const list = (mode: string, count: number, age: string): Promise<object[]> =>
  harness.database.query(
    `insert into rail_queries (stream, mode, rail_reference, intent_at)
       select 'collection-' || $1 || ':m:' || n, $1, 'ws_' || $1 || n, records.now_() - $3::interval
         from generate_series(1, $2) n`,
    [mode, count, age],
  );

it('while the rail hangs in one mode, it is still asked about the other mode’s collections', async () => {
  await list('live', 20, '2 minutes');
  await list('demo', 3, '2 minutes');
  let answer: (outcome: QueryOutcome) => void = () => undefined;
  const hanging = new Promise<QueryOutcome>((resolve) => (answer = resolve));
  const asked: string[] = [];
  const query = jest.spyOn(harness.rail, 'query').mockImplementation(({ mode, railReference }) => {
    asked.push(railReference);
    return mode === 'live' ? hanging : Promise.resolve({ kind: 'unresolved' });
  });
  const queries = harness.app.get(QueryStep, { strict: false });
  const live = queries.step('live');
  expect(await queries.step('demo')).toBe('idle');
  expect(asked.filter((reference) => reference.startsWith('ws_demo'))).toHaveLength(3);
  answer({ kind: 'unresolved' });
  expect(await live).toBe('idle');
  expect(asked).toHaveLength(23);
  query.mockRestore();
});

it('each mode’s callbacks, overdue collections and payouts are processed separately', async () => {
  const modes = ['live', 'demo'] as const;
  for (const mode of modes) {
    // A reference may look like a stream of the other mode.
    await harness.callBack(`collection-${mode}:m1:x-live:demo`, declinedCallback('ws_CO_1'));
    await harness.database.query(
      `insert into open_payouts (stream, mode, channel, step, since, position, originator_conversation_id)
         values ('payout-' || $1 || ':m:1', $1, 'mpesa', 'started', records.now_() - interval '1 h', 1, 'pp-1')`,
      [mode],
    );
    await list(mode, 1, '3 days');
  }
  const attempts = async (mode: string) =>
    (await harness.inboxOf(`collection-${mode}:m1:x-live:demo`)).map((row) => row.attempts);
  const inbox = harness.app.get(InboxStep, { strict: false });
  await inbox.step('demo');
  expect([await attempts('live'), await attempts('demo')]).toEqual([[0], [1]]);
  await inbox.step('live');
  expect([await attempts('live'), await attempts('demo')]).toEqual([[1], [1]]);

  const overdue = harness.app.get(OverdueCollections, { strict: false });
  const payouts = harness.app.get(PayoutQueries, { strict: false });
  for (const mode of modes) {
    const askable = [{ channel: 'mpesa', mode }] as const;
    const found = [
      ...(await overdue.overdue(askable, { max: 9, mode })),
      ...(await payouts.due(askable, 9)),
    ];
    expect(found.map(({ stream }) => stream)).toEqual([
      `collection-${mode}:m:1`,
      `payout-${mode}:m:1`,
    ]);
  }
});

it('a backlog of one mode does not keep the other mode’s collections from being asked about', async () => {
  await list('live', 200, '2 minutes');
  await list('demo', 3, '70 seconds');
  expect(await harness.app.get(QueryStep, { strict: false }).step()).toBe('busy');
  const asked = harness.rail.asked.filter((reference) => reference.startsWith('ws_demo'));
  expect(asked.toSorted()).toEqual(['ws_demo1', 'ws_demo2', 'ws_demo3']);
  expect(harness.rail.asked).toHaveLength(64);
});
