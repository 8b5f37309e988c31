import { type OwnServers, type Service, startOwnServers, startService } from '#testing';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { expectAgreement, settled } from './agreed.js';
import { underLoad } from './load.js';

let servers: OwnServers;
let service: Service;
beforeAll(async () => {
  servers = await startOwnServers();
  service = await startService({ ...servers.env, RAIL_REVIEW_AFTER: '15s' });
}, 90_000);
afterAll(async () => {
  await service.stop();
  await servers.stop();
}, 60_000);

const forMs = 3_000;
const awayMs = 700;

describe('any one process killed under load and started again', () => {
  it.each(['api', 'projector', 'worker', 'daraja-simulator'] as const)(
    '%s: nothing is pushed or posted twice, and all accounts agree',
    async (app) => {
      const merchants = [service.merchant];
      const { references } = await underLoad({ name: app, forMs, merchants }, async () => {
        await service.kill(app);
        await sleep(awayMs);
        await service.start(app);
      });
      expectAgreement(await settled(service, references), references);
    },
    150_000,
  );

  it.each(['eventstore', 'postgres', 'redis'] as const)(
    '%s: nothing is pushed or posted twice, and all accounts agree',
    async (server) => {
      const merchants = [service.merchant];
      const { references } = await underLoad({ name: server, forMs, merchants }, async () => {
        await servers.kill(server);
        await sleep(awayMs);
        await servers.start(server);
      });
      expectAgreement(await settled(service, references), references);
    },
    150_000,
  );
});
