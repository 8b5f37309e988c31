import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { QueryStep } from './query-step.js';
import { RailHarness } from '../../../../../test/rail/harness.js';

let harness: RailHarness;
beforeAll(async () => {
  harness = await RailHarness.start();
});
afterAll(() => harness.stop());

it('a crowd of one mode that has waited for long keeps none of the other mode from being asked about', async () => {
  const list = (mode: string, count: number, age: string): Promise<object[]> =>
    harness.database.query(
      `insert into rail_queries (stream, mode, rail_reference, intent_at)
         select 'collection-' || $1 || ':m:' || n, $1, 'ws_' || $1 || n, records.now_() - $3::interval
           from generate_series(1, $2) n`,
      [mode, count, age],
    );
  await list('live', 200, '2 minutes');
  await list('demo', 3, '70 seconds');
  expect(await harness.app.get(QueryStep, { strict: false }).step()).toBe('busy');
  const asked = harness.rail.asked.filter((reference) => reference.startsWith('ws_demo'));
  expect(asked.toSorted()).toEqual(['ws_demo1', 'ws_demo2', 'ws_demo3']);
  expect(harness.rail.asked).toHaveLength(64);
});
