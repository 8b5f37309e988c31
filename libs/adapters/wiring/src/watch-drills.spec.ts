import { type DrillRecorded, drillStream } from '#domain/drills';
import { Metrics } from '#infra/runtime';
import { HandMadeLog, ReadOnlyLog } from '#testing';
import { expect, it } from '@jest/globals';
import { watchDrills } from './watch-drills.js';

const at = Date.parse('2026-11-20T10:00:00.000Z');
const drill = (outcome: DrillRecorded['data']['outcome']): DrillRecorded => ({
  type: 'DrillRecorded',
  data: {
    copy: 'restored',
    outcome,
    reachesTo: '2026-11-20T09:00:00.000Z' as never,
    ageSeconds: 3600,
    position: '7',
    tables: 1,
    rows: 1,
    newer: 0,
    opened: 1,
    views: 1,
    heads: 0,
    faults: [],
  },
});

it.each([
  ['never', [], 0],
  ['held', [drill('held')], at / 1000],
  ['failed after one that held', [drill('held'), drill('failed')], 0],
] as const)('reports when a restore was last tried: %s', async (_what, drills, expected) => {
  const log = new HandMadeLog(at);
  for (const each of drills) log.append<DrillRecorded>(drillStream, each);
  const metrics = new Metrics();
  watchDrills(new ReadOnlyLog(log), metrics);
  expect(await metrics.registry.metrics()).toMatch(
    new RegExp(`^pesapost_last_restore_drill_timestamp_seconds ${expected}$`, 'm'),
  );
});

it('reports no number while the event store is away, but still the other metrics', async () => {
  const metrics = new Metrics();
  watchDrills({ readLast: () => Promise.reject(new Error('away')) }, metrics);
  expect(await metrics.registry.metrics()).toMatch(
    /^pesapost_last_restore_drill_timestamp_seconds Nan$/im,
  );
});
