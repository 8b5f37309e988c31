import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { dayAt } from '#infra/runtime';
import { type Answer, agreementOf, eventually, type Service, startService } from '#testing';
import { viewSchema } from '#views/view-set';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { awayFromMidnight } from '../servers/away-from-midnight.js';
import { ArchivedServers } from './postgres-backup.js';

/**
 * Each store is lost and restored as the how-to says, with the real servers: Redis without a backup, the records up to a
 * moment, the event log from a copy, and both. The rail remembers everything.
 */
let archived: ArchivedServers;
let service: Service;
let folder: string;

beforeAll(async () => {
  await awayFromMidnight();
  archived = await ArchivedServers.start();
  service = await startService({ ...archived.servers.env });
  folder = await mkdtemp(join(tmpdir(), 'pesapost-restore-'));
  await paid('before');
  await archived.backUp();
}, 900_000);
afterAll(async () => {
  await service.stop();
  await archived.stop();
  await rm(logCopy(), { recursive: true, force: true });
  await rm(folder, { recursive: true, force: true });
});

const logCopy = () => `${archived.servers.eventStoreDirectory}-backup`;
const stateOf = (reference: string): Promise<Answer> =>
  service.merchant.get(`/api/v4/collections/${reference}`);

async function paid(reference: string): Promise<void> {
  expect((await service.merchant.collect({ reference }, `key-${reference}`)).status).toBe(202);
  await eventually(
    () => stateOf(reference),
    ({ body }) => body['status'] === 'completed',
    { withinMs: 60_000 },
  );
}

async function pushes(): Promise<number> {
  const answer = await fetch(`${service.simulatorUrl}/_stats`);
  return ((await answer.json()) as { pushes: number }).pushes;
}

/** A merchant repeats a request until it is answered; the stores may still come back. */
function repeated(reference: string): Promise<Answer> {
  return eventually(
    () => service.merchant.collect({ reference }, `key-${reference}`),
    ({ status }) => status !== 503,
    { withinMs: 60_000 },
  );
}

async function stopped(work: () => Promise<void>): Promise<void> {
  const apps = ['worker', 'api', 'projector'] as const;
  for (const app of apps) await service.kill(app);
  await work();
  for (const app of apps.toReversed()) await service.start(app);
  await eventually(
    () => service.merchant.get('/api/v4/transactions'),
    ({ status }) => status === 200,
    { withinMs: 90_000 },
  );
}

/** Copies the log while its server is not running, as a snapshot of its disk would. */
async function backUpTheLog(): Promise<void> {
  await archived.servers.kill('eventstore');
  await rm(logCopy(), { recursive: true, force: true });
  await cp(archived.servers.eventStoreDirectory, logCopy(), { recursive: true });
  await archived.servers.start('eventstore');
}

async function restoreTheLog(): Promise<void> {
  await archived.servers.kill('eventstore');
  await rm(archived.servers.eventStoreDirectory, { recursive: true });
  await cp(logCopy(), archived.servers.eventStoreDirectory, { recursive: true });
  await archived.servers.start('eventstore');
}

async function dropTheViews(): Promise<void> {
  const database = new pg.Client({ connectionString: archived.servers.env.DATABASE_URL });
  await database.connect();
  await database.query(`drop schema ${viewSchema()} cascade`);
  await database.end();
}

async function expectOneLedger(): Promise<void> {
  const found = await eventually(
    () => agreementOf(service),
    ({ postedByEvents, postedByBalance }) => postedByEvents === postedByBalance,
    { withinMs: 60_000 },
  );
  expect(found.postedByEntries).toBe(found.postedByEvents);
  expect(found.sumOfBalances).toBe(0n);
  expect(found.postedTwice).toEqual([]);
}

it('Redis with everything in it: a repeat pushes nothing', async () => {
  await paid('redis');
  const before = await pushes();
  const redis = new Redis(archived.servers.env.REDIS_URL);
  await redis.flushall();
  await redis.quit();
  const again = await repeated('redis');
  expect(again).toMatchObject({ status: 202, body: { status: 'completed' } });
  expect(again.headers.get('x-pp-existing')).toBe('true');
  expect(await pushes()).toBe(before);
}, 120_000);

it('the last minute of the records: the log still has every payment', async () => {
  const moment = await archived.now();
  await paid('records');
  const before = await pushes();
  await stopped(() => archived.restoreTo(moment));
  expect((await stateOf('records')).body['status']).toBe('completed');
  const again = await repeated('records');
  expect(again.headers.get('x-pp-existing')).toBe('true');
  expect(await pushes()).toBe(before);
  await expectOneLedger();
  const verified = await service.runCommand(['verify']);
  expect(verified.code).toBe(1);
  // It names exactly what the records of that time had.
  expect(verified.text).toContain('idempotency_claims.reference: expected records, found nothing');
  expect(verified.text).toMatch(/sealed_messages\.row: expected message .* \(reference records,/);
  expect(verified.text).toContain('3 differences');
}, 300_000);

it('the last second of the log: the rail’s statement names the payment', async () => {
  await backUpTheLog();
  await paid('log');
  const before = await pushes();
  await stopped(async () => {
    await restoreTheLog();
    await dropTheViews();
  });
  expect((await stateOf('log')).status).toBe(404);
  expect(await pushes()).toBe(before);
  await expectOneLedger();
  expect(await missingHere()).toBe(1);
}, 300_000);

it('both: the same, and nothing is posted twice', async () => {
  await backUpTheLog();
  const moment = await archived.now();
  await paid('both');
  const before = await pushes();
  await stopped(async () => {
    await restoreTheLog();
    await archived.restoreTo(moment);
  });
  expect((await stateOf('both')).status).toBe(404);
  expect(await pushes()).toBe(before);
  await expectOneLedger();
  expect(await missingHere()).toBe(2);
}, 300_000);

/** @returns the payments of today's statement that the ledger does not have */
async function missingHere(): Promise<number> {
  const { merchantId, accountNo } = service.merchant.credentials;
  const file = join(folder, 'statement.csv');
  const statement = await fetch(`${service.simulatorUrl}/_statement.csv`);
  await writeFile(file, await statement.text());
  const date = dayAt(Date.now(), 'Africa/Nairobi');
  const { text } = await service.runCommand([
    ...['reconcile', '--merchant', merchantId, '--account', accountNo],
    ...['--date', date, '--statement', file, '--json'],
  ]);
  const report = JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)) as {
    readonly open_listed: readonly { readonly finding: string }[];
  };
  return report.open_listed.filter(({ finding }) => finding === 'missing_here').length;
}
