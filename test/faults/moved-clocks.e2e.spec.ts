import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type Child,
  eventually,
  type MerchantClient,
  type OwnServers,
  type Service,
  startOwnServers,
  startService,
  secondHolder,
} from '#testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type MovedClock, movedClock, requireFaketime } from '../servers/moved-clock.js';
import { issueV3, type V3Client } from '../e2e/v3-client.js';
import { expectAgreement, expectPayoutsAgree, settled } from './agreed.js';
import { underLoad } from './load.js';
import { funded } from './payouts.js';

/**
 * The wall clocks of processes jump under load, to either side and further than a signed request may be off, and back
 * again.
 */
const apps = ['api', 'projector', 'worker'] as const;
type App = (typeof apps)[number];

let folder: string;
let servers: OwnServers;
let service: Service;
let checker: MerchantClient;
let v3: V3Client;
const clocks = new Map<App, MovedClock>();
const processes = new Map<App, Child>();
const references: string[] = [];
const payouts: string[] = [];

beforeAll(async () => {
  await requireFaketime();
  folder = await mkdtemp(join(tmpdir(), 'pesapost-moved-clocks-'));
  servers = await startOwnServers();
  service = await startService(servers.env);
  for (const app of apps) {
    const clock = await movedClock(folder, app);
    await service.kill(app);
    const own = app === 'api' ? { PORT: service.env['PORT'] ?? '' } : {};
    processes.set(app, await service.startReplica(app, { ...clock.env, ...own }));
    clocks.set(app, clock);
  }
  checker = await secondHolder(service);
  references.push(await funded(service));
  v3 = await issueV3(service, service.merchant.credentials.merchantId);
}, 900_000);
afterAll(async () => {
  await service.stop();
  await servers.stop();
  await rm(folder, { recursive: true, force: true });
});

function childOf(app: App): Child {
  const child = processes.get(app);
  if (!child) throw new Error(`${app} was not started`);
  return child;
}

/** Moves the clocks, and waits until each process has found out and `status` says it. */
async function move(moved: readonly App[], seconds: number): Promise<void> {
  const before = moved.map((app) => childOf(app).lines.length);
  for (const app of moved) await clocks.get(app)?.move(seconds);
  for (const [index, app] of moved.entries())
    await eventually(
      () => Promise.resolve(childOf(app).lines.slice(before[index])),
      (lines) =>
        lines.some((line) => line.includes(seconds === 0 ? 'agrees with' : 'clocks_apart')),
      { everyMs: 200 },
    );
  await eventually(
    () => service.runCommand(['status']),
    ({ text }) =>
      apps.every(
        (app) => text.includes(`clock of ${app} is `) === (seconds !== 0 && moved.includes(app)),
      ),
    { everyMs: 500 },
  );
}

/** V3 signs no time: an API with a wrong clock serves it, takes the rail's callback, and says that it was paid. */
async function paidByV3(ref: string): Promise<void> {
  const body = {
    accountNumber: service.merchant.credentials.accountNo,
    ref,
    mobileNumber: '254712345678',
    amount: '250.00',
    currency: 'KES',
    live: 0,
  };
  references.push(ref);
  expect(await v3.collect(body)).toMatchObject({ status: 200, body: { ref } });
  await eventually(
    () => v3.collect(body),
    (answer) => answer.body['status'] === 'completed',
  );
}

async function load(name: string, fault: () => Promise<unknown>): Promise<void> {
  const merchants = [service.merchant];
  const done = await underLoad({ name, forMs: 3_000, atLeast: 24, merchants, checker }, fault);
  references.push(...done.references);
  payouts.push(...done.payouts);
}

async function expectAllDone(): Promise<void> {
  const found = await settled(service, references);
  expectAgreement(found, references);
  expectPayoutsAgree(found, payouts);
  expect(apps.filter((app) => childOf(app).hasEnded())).toEqual([]);
}

describe.each([600, -600])('a clock that is set %i s ahead', (seconds) => {
  const name = seconds < 0 ? 'behind' : 'ahead';

  it.each(['worker', 'projector'] as const)(
    'on the %s: all work is done meanwhile, once, and status names the clock',
    async (app) => {
      await load(`${app}-${name}`, () => move([app], seconds));
      await expectAllDone();
      await move([app], 0);
    },
    600_000,
  );

  it.each([
    ['the api', ['api']],
    ['every process', apps],
  ] as const)(
    'on %s: signed requests are rejected, callbacks are not, and all work is done once the clock is right',
    async (whose, moved) => {
      const { length } = references;
      await load(`${whose.replace(' ', '-')}-${name}`, async () => {
        await move(moved, seconds);
        const refused = await service.merchant.collect({ reference: `refused-${length}` });
        expect(refused).toMatchObject({ status: 401, body: { error: 'timestamp_expired' } });
        await paidByV3(`V3-${length}`);
        await move(moved, 0);
      });
      await expectAllDone();
    },
    600_000,
  );
});
