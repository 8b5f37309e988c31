import { rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Child,
  emptyDatabase,
  eventually,
  type OwnServers,
  type Service,
  startOwnServers,
  startService,
} from '#testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Balancer, isReady } from '../servers/balancer.js';
import { previousRelease } from '../servers/previous-release.js';

/** The last release, whose records are as it made them, becomes this one while requests come in. */
let previous: string;
let servers: OwnServers;
let service: Service;

beforeAll(async () => {
  [previous, servers] = await Promise.all([previousRelease(), startOwnServers()]);
  service = await startService(
    // Longer than the balancer takes to notice, on a busy machine, too.
    {
      ...servers.env,
      DATABASE_URL: await emptyDatabase(servers.env.DATABASE_URL),
      DRAIN_DELAY: '4s',
    },
    previous,
  );
}, 900_000);
afterAll(async () => {
  await service.stop();
  await servers.stop();
  await rm(previous, { recursive: true, force: true });
});

const migratesApart = { MIGRATIONS: 'apart' };

async function started(app: 'api' | 'projector' | 'worker', release?: string): Promise<Child> {
  const child = await service.spawnReplica(app, release === undefined ? migratesApart : {}, release)
    .up;
  await eventually(() => isReady(child), Boolean, { withinMs: 90_000 });
  return child;
}

async function end(child: Child): Promise<void> {
  child.signal('SIGTERM');
  expect(await child.ended).toBe(0);
}

it('a rolling release and the way back: no request fails', async () => {
  const balancer = new Balancer(service.merchant);
  balancer.add(service.child('api'));
  await balancer.during(async () => {
    expect(await service.runCommand(['migrate'])).toMatchObject({ code: 0 });
    const projector = await started('projector');
    await end(service.child('projector'));
    const worker = await started('worker');
    await end(service.child('worker'));
    const next = balancer.add(await started('api'));
    await eventually(() => Promise.resolve(next.isReady), Boolean);
    await end(service.child('api'));
    await sleep(1000);
    const again = balancer.add(await started('api', previous));
    await eventually(() => Promise.resolve(again.isReady), Boolean);
    await end(next.child);
    await started('worker', previous);
    await end(worker);
    await started('projector', previous);
    await end(projector);
    await sleep(1000);
  });
  expect(balancer.failed).toEqual([]);
  expect(balancer.created).toBeGreaterThan(20);
  const verified = await service.runCommand(['verify']);
  expect(verified).toMatchObject({ code: 0, text: expect.stringContaining('no differences') });
}, 600_000);
