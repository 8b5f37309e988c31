import { PlatformSources } from '#desk/operators';
import { type Heartbeat } from '#infra/postgres';
import { Metrics } from '#infra/runtime';
import { expect, it } from '@jest/globals';
import { alertsFiredBy } from '../../../../test/servers/alerts.js';
import { watchPlatform } from './watch-platform.js';

const seen = (app: string, over: Partial<Heartbeat> = {}): Heartbeat => ({
  app,
  instance: `host:${app}`,
  pid: 7,
  version: '1',
  startedAt: new Date(0),
  silentSeconds: 1,
  hasEnded: false,
  clockAheadSeconds: 0,
  stalledLoops: [],
  ...over,
});

/** The metrics of an API that reads these heartbeats. */
async function metricsWith(heartbeats: readonly Heartbeat[]): Promise<string> {
  const store = { head: () => Promise.resolve(1n), readLast: () => Promise.resolve(undefined) };
  const database = {
    query: (statement: string | { readonly name: string }) =>
      Promise.resolve(
        typeof statement !== 'string' && statement.name === 'heartbeats' ? heartbeats : [],
      ),
  };
  const sources = new PlatformSources({ store, database } as never, {
    maxAgeMs: 1,
    reviewAfterMs: 1,
    redis: undefined,
    installation: { dataDir: '', embedded: [], eventStoreUrl: '' },
  });
  const metrics = new Metrics();
  watchPlatform(sources, metrics, { floats: () => Promise.resolve([]) });
  return metrics.registry.metrics();
}

it('a loop that completes no step raises an alert with its name, unless its process has ended', async () => {
  const others = [seen('api'), seen('projector')];
  const stalled = { stalledLoops: ['callback-inbox-live'] };
  const text = await metricsWith([...others, seen('worker', stalled)]);
  expect(text).toMatch(/^pesapost_loop_stalled\{app="worker",loop="callback-inbox-live"\} 1$/m);
  expect(await alertsFiredBy(text)).toEqual(['LoopStalled']);
  const ended = seen('worker', { ...stalled, hasEnded: true, instance: 'host:old' });
  const well = await metricsWith([...others, seen('worker'), ended]);
  expect(await alertsFiredBy(well)).toEqual([]);
}, 660_000);
