import {
  type MerchantClient,
  type OwnServers,
  type Service,
  startOwnServers,
  startService,
  secondHolder,
} from '#testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { expectAgreement, expectPayoutsAgree, settled } from './agreed.js';
import { AirtelProcess } from '../rail/airtel-process.js';
import { airtelPhones, phones as mpesaPhones, underLoad } from './load.js';
import { airtelPayoutPhones, funded, payoutPhones as mpesaPayoutPhones } from './payouts.js';
import { RecordsUnderTest } from './records.js';
import { steadyAgain, steadyWithinMs } from './steady.js';

let servers: OwnServers;
let service: Service;
let airtel: AirtelProcess;
let records: RecordsUnderTest;
let checker: MerchantClient;
beforeAll(async () => {
  servers = await startOwnServers();
  airtel = await AirtelProcess.begin();
  service = await startService({ ...servers.env, ...(await airtel.settings()) });
  await airtel.enableFor(service);
  records = new RecordsUnderTest(servers.env.DATABASE_URL);
  checker = await secondHolder(service);
  references.push(await funded(service));
});
afterAll(async () => {
  await records.close();
  await service.stop();
  await airtel.stop();
  await servers.stop();
});

/** Named after the process under whose death they were sent. */
const references: string[] = [];
const payouts: string[] = [];
/** Both rails at once. */
const phones = [...mpesaPhones, ...airtelPhones];
const payoutPhones = [...mpesaPayoutPhones, ...airtelPayoutPhones];
const forMs = 3_000;
/** A supervisor restarts a dead process within a second. */
const awayMs = 700;

/** Kills under load and restarts, and measures the time until everything is as before. */
async function expectToRecover(
  name: string,
  process: { kill(): Promise<void>; start(): Promise<void> },
): Promise<void> {
  let steadyMs = 0;
  const merchants = [service.merchant];
  const abandonClaim = (reference: string) => records.abandonClaim(reference);
  const options = { name, forMs, merchants, checker, abandonClaim, phones, payoutPhones };
  const load = await underLoad(options, async () => {
    const diedAt = performance.now();
    await process.kill();
    await sleep(awayMs);
    await process.start();
    steadyMs = await steadyAgain(service, diedAt);
  });
  references.push(...load.references);
  payouts.push(...load.payouts);
  expect(steadyMs).toBeLessThan(steadyWithinMs);
}

describe('a process that is killed under load and started again', () => {
  it.each(['api', 'projector', 'worker', 'daraja-simulator'] as const)(
    '%s: it recovers soon, and every request is answered in the end',
    (app) =>
      expectToRecover(app, { kill: () => service.kill(app), start: () => service.start(app) }),
    300_000,
  );

  it(
    'airtel-simulator: enquiries find what it took before it died',
    () =>
      expectToRecover('airtel-simulator', {
        kill: () => airtel.kill(),
        start: () => airtel.start(),
      }),
    300_000,
  );

  it.each(['eventstore', 'postgres', 'redis'] as const)(
    '%s, a server: it recovers soon, and every request is answered in the end',
    (server) =>
      expectToRecover(server, {
        kill: () => servers.kill(server),
        start: () => servers.start(server),
      }),
    300_000,
  );
});

describe('after all kills', () => {
  it('no push, posting or payout happened twice, and all accounts agree', async () => {
    const found = await settled(service, references);
    expectAgreement(found, references);
    expectPayoutsAgree(found, payouts);
    expect(await service.runCommand(['verify'])).toMatchObject({ code: 0 });
  });
});
