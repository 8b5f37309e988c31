import {
  agreementOf,
  type Answer,
  eventually,
  type MerchantClient,
  type OwnServers,
  type Service,
  startOwnServers,
  startService,
  secondHolder,
} from '#testing';
import { randomUUID } from 'node:crypto';
import { cp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { viewSchema } from '#views/view-set';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { askUntilAnswered, decideOnce, decideUntilAnswered, funded } from './payouts.js';

let servers: OwnServers;
let service: Service;
let checker: MerchantClient;
beforeAll(async () => {
  servers = await startOwnServers();
  // No question ends the wait for its result.
  service = await startService({ ...servers.env, RAIL_QUERY_DELAYS: '60s,120s' });
  checker = await secondHolder(service);
  await funded(service);
});
afterAll(async () => {
  await service.stop();
  await servers.stop();
});

const phone = { pays: '254712345678', resultLost: '254700000104' } as const;
const ask = (reference: string, number: string = phone.pays) =>
  askUntilAnswered({ makers: [service.merchant] }, { reference, phone: number });
const approve = (reference: string) => decideUntilAnswered({ checker }, reference, 'approve');
const until = (reference: string, isReached: (payout: Answer['body']) => boolean) =>
  eventually(
    () => service.merchant.get(`/api/v4/payouts/${reference}`),
    ({ body }) => isReached(body),
    { withinMs: 90_000, everyMs: 200 },
  );
const reached = (reference: string, status: string) =>
  until(reference, (payout) => payout['status'] === status);
const backup = () => `${servers.eventStoreDirectory}-backup`;

async function backUpTheLog(): Promise<void> {
  await servers.kill('eventstore');
  await cp(servers.eventStoreDirectory, backup(), { recursive: true });
  await servers.start('eventstore');
}

/** The log from its backup, the current records, and no views. The rail has forgotten every order. */
async function restoreTheLog(): Promise<void> {
  const apps = ['worker', 'api', 'projector', 'daraja-simulator'] as const;
  for (const app of apps) await service.kill(app);
  await servers.kill('eventstore');
  await rm(servers.eventStoreDirectory, { recursive: true });
  await cp(backup(), servers.eventStoreDirectory, { recursive: true });
  await servers.start('eventstore');
  await rm(join(service.env['DATA_DIR'] ?? '', 'daraja-simulator'), { recursive: true });
  const database = new pg.Client({ connectionString: servers.env.DATABASE_URL });
  await database.connect();
  await database.query(`drop schema ${viewSchema()} cascade`);
  await database.end();
  await forgetTheRailsToken();
  for (const app of apps.toReversed()) await service.start(app);
}

/**
 * The rail has forgotten its token with its orders, which no real rail does. A token that is younger than ten seconds
 * is not discarded when it is refused, so a payout would fail.
 */
async function forgetTheRailsToken(): Promise<void> {
  const redis = new Redis(servers.env.REDIS_URL);
  await redis.del('pesapost:rail-token:mpesa-demo', 'pesapost:rail-fresh:mpesa-demo');
  redis.disconnect();
}

it('payouts that the rail was given and the log has lost are queried, and not sent again', async () => {
  await service.kill('worker');
  await ask('approved-before', phone.resultLost);
  await approve('approved-before');
  await ask('approved-after');
  await backUpTheLog();
  await approve('approved-after');
  await service.start('worker');
  await until('approved-before', ({ rail_reference: told }) => typeof told === 'string');
  await reached('approved-after', 'completed');

  await restoreTheLog();
  await reached('approved-after', 'pending_approval');
  // Its money may be gone.
  const rejection = { reference: 'approved-after', verdict: 'reject' } as const;
  await eventually(
    () => decideOnce(checker, rejection, randomUUID()),
    (status) => status === 409,
  );
  await until('approved-after', ({ under_review: isListed }) => isListed === true);
  await approve('approved-after');
  await ask('fresh');
  await approve('fresh');
  await reached('fresh', 'completed');
  const found = await eventually(
    () => agreementOf(service),
    ({ startedPayouts }) => startedPayouts.size === 3,
  );
  expect([found.ordersAtRail, found.paidOutAtRail]).toEqual([1, 1]);
  for (const reference of ['approved-before', 'approved-after'])
    expect(found.payouts.get(reference)).toMatchObject({ status: 'pending', rail_reference: null });
});
