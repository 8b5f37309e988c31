import { type RoleEvent, RolesInLog, roleStream } from '#domain/people';
import { Metrics } from '#infra/runtime';
import { HandMadeLog, ReadOnlyLog } from '#testing';
import { expect, it } from '@jest/globals';
import { alertsFiredBy } from '../../../../test/servers/alerts.js';
import { watchBreakGlass } from './watch-break-glass.js';

const [person, name, proposedBy] = ['https://id.example#njeri', 'N', 'https://id.example#asha'];
const admin: RoleEvent = {
  type: 'RoleGranted',
  data: { person: proposedBy, name, role: 'admin', proposedBy: 'root' },
};
const announced: RoleEvent = { type: 'BreakGlassAnnounced', data: { person, name, proposedBy } };
const stopped: RoleEvent = { type: 'BreakGlassStopped', data: { person, name, proposedBy } };
const dayMs = 86_400_000;

/** The metrics of a process that only reads the log, which has these events of that time. */
async function metricsAfter(events: readonly RoleEvent[], atMs = Date.now()): Promise<string> {
  const log = new HandMadeLog(atMs);
  for (const event of events) log.append<RoleEvent>(roleStream, event);
  const roles = new RolesInLog(new ReadOnlyLog(log), () => performance.now());
  const metrics = new Metrics();
  watchBreakGlass(() => roles.breakGlass(), metrics);
  return metrics.registry.metrics();
}

it('an announced admin raises an alert without any worker, until the announcement is over', async () => {
  expect(await alertsFiredBy(await metricsAfter([admin]))).toEqual([]);
  expect(await alertsFiredBy(await metricsAfter([admin, announced]))).toEqual([
    'NewAdminAnnounced',
  ]);
  expect(await alertsFiredBy(await metricsAfter([admin, announced, stopped]))).toEqual([]);
});

it('the metric has the earliest time of the grant, which is a day after the announcement', async () => {
  const atMs = Date.parse('2026-11-20T10:00:00.000Z');
  expect(await metricsAfter([admin, announced], atMs)).toMatch(
    new RegExp(`^pesapost_break_glass_takes_effect_at_seconds ${(atMs + dayMs) / 1000}$`, 'm'),
  );
});

it('the metric has no number while the event store is away, and the others stay', async () => {
  const metrics = new Metrics();
  watchBreakGlass(() => Promise.reject(new Error('away')), metrics);
  expect(await metrics.registry.metrics()).toMatch(
    /^pesapost_break_glass_takes_effect_at_seconds Nan$/im,
  );
});
