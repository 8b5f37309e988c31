import { describe, expect, it } from '@jest/globals';
import { type Heartbeat } from '#infra/postgres';
import { lastSeenSeconds, processesStanding, processFaults } from './processes.js';

const seen = (app: string, silentSeconds: number, over: Partial<Heartbeat> = {}): Heartbeat => ({
  app,
  instance: `host:${app}`,
  pid: 7,
  version: '1',
  startedAt: new Date(0),
  silentSeconds,
  hasEnded: false,
  clockAheadSeconds: 0,
  stalledLoops: [],
  ...over,
});
const well = [seen('api', 1), seen('projector', 2), seen('worker', 0.5)];
const without = (app: string): readonly Heartbeat[] => well.filter((each) => each.app !== app);

describe('the processes of the platform', () => {
  it('are well if each needed app was seen within ten seconds', () => {
    expect(processesStanding(well)).toMatchObject({ missing: [], silent: [] });
    expect(processFaults(processesStanding(well))).toEqual([]);
  });

  it.each(['api', 'projector', 'worker'])(
    'name a %s that is frozen, stopped or was never there',
    (app) => {
      const of = (heartbeats: readonly Heartbeat[]) => processFaults(processesStanding(heartbeats));
      expect(of(without(app))).toEqual([`no ${app} runs: it was never seen`]);
      expect(of([...without(app), seen(app, 11)])).toEqual([
        `no ${app} runs: it was last seen 11 s ago, as pid 7 on host:${app}`,
      ]);
      expect(of([...without(app), seen(app, 300, { hasEnded: true })])).toEqual([
        `no ${app} runs: it was stopped 5 min ago`,
      ]);
    },
  );

  it('name one that is silent while others of its app run', () => {
    const standing = processesStanding([...well, seen('worker', 14, { instance: 'other:1' })]);
    expect(standing.missing).toEqual([]);
    expect(processFaults(standing)).toEqual(['a worker is silent for 14 s: other:1, pid 7']);
  });

  it('name one whose clock differs from Postgres’, as long as it runs', () => {
    const of = (over: Partial<Heartbeat>) =>
      processFaults(processesStanding([...without('api'), seen('api', 1, over)]));
    expect(of({ clockAheadSeconds: 600 })).toEqual([
      'the clock of api is 600 s ahead of Postgres’: host:api',
    ]);
    expect(of({ clockAheadSeconds: -600 })).toEqual([
      'the clock of api is 600 s behind Postgres’: host:api',
    ]);
    expect(of({ clockAheadSeconds: -600, hasEnded: true })).toEqual([
      'no api runs: it was stopped 1 s ago',
    ]);
  });

  it('name the loops that complete no step, as long as their process runs', () => {
    const stalledLoops = ['callback-inbox-live', 'notices'];
    const of = (over: Partial<Heartbeat>) =>
      processFaults(processesStanding([...well, seen('worker', 1, { stalledLoops, ...over })]));
    expect(of({})).toEqual([
      'a worker completes no step of callback-inbox-live, notices: host:worker, pid 7',
    ]);
    expect(of({ hasEnded: true })).toEqual([]);
    expect(of({ stalledLoops: [] })).toEqual([]);
  });

  it('miss a demo app that is silent, but not one that was stopped on request', () => {
    const simulator = seen('daraja-simulator', 20);
    expect(processesStanding([...well, simulator]).missing).toHaveLength(1);
    const stopped = { ...simulator, hasEnded: true };
    expect(processesStanding([...well, stopped]).missing).toEqual([]);
  });

  it('name a launcher that is frozen, and not the apps for which it writes', () => {
    const mute = ['daraja-simulator', 'identity-provider'].map((app) => seen(app, 13));
    const heartbeats = [...well, ...mute, seen('launcher', 12)];
    const named = 'no launcher runs: it was last seen 12 s ago, as pid 7 on host:launcher';
    expect(processFaults(processesStanding(heartbeats))).toEqual([named]);
    const withoutWorker = heartbeats.filter(({ app }) => app !== 'worker');
    expect(processFaults(processesStanding(withoutWorker))).toEqual([
      'no worker runs: it was never seen',
      named,
    ]);
  });

  it('have an age for each app, infinite for a needed one of which none runs', () => {
    expect([...lastSeenSeconds([seen('api', 3), seen('api', 1)])]).toEqual([
      ['api', 1],
      ['projector', Infinity],
      ['worker', Infinity],
    ]);
  });
});
