import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { cp, readFile, rm } from 'node:fs/promises';
import {
  type Answer,
  agreementOf,
  eventually,
  pesapost,
  type Service,
  startService,
} from '#testing';
import { viewSchema } from '#views/view-set';
import { Redis } from 'ioredis';
import pg from 'pg';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { decidedByTwo, grantTwoAdmins, type TwoAdmins } from '../e2e/two-admins.js';
import { awayFromMidnight } from '../servers/away-from-midnight.js';
import { ArchivedServers } from './postgres-backup.js';

/**
 * Each store is lost and restored as the how-to says, with the real servers: Redis without a backup, the records up to a
 * moment, the event log from a copy, and both. The rail remembers everything.
 */
let archived: ArchivedServers;
let service: Service;
/** Undefined until the log has roles, which ends typed names. */
let admins: TwoAdmins | undefined;

beforeAll(async () => {
  await awayFromMidnight();
  archived = await ArchivedServers.start();
  service = await startService({ ...archived.servers.env });
  await paid('before');
  await archived.backUp();
}, 900_000);
afterAll(async () => {
  await admins?.issuer.stop();
  await service.stop();
  await archived.stop();
  await rm(logCopy(), { recursive: true, force: true });
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

/** @param ask what is asked while only the projector runs, before anything is sent again */
async function stopped(
  work: () => Promise<void>,
  ask: () => Promise<void> = () => Promise.resolve(),
): Promise<void> {
  const apps = ['worker', 'api', 'projector'] as const;
  for (const app of apps) await service.kill(app);
  await work();
  await service.start('projector');
  await ask();
  for (const app of ['api', 'worker'] as const) await service.start(app);
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

async function rowsOf<T extends object>(statement: string): Promise<T[]> {
  const database = new pg.Client({ connectionString: archived.servers.env.DATABASE_URL });
  await database.connect();
  const { rows } = await database.query<T>(statement);
  await database.end();
  return rows;
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

/** The statements that the guide names. */
async function rebuildOfTheTrees(): Promise<string> {
  const guide = await readFile('docs/how-to/audit-the-history.md', 'utf8');
  const [, statements = ''] = /psql "\$DATABASE_URL" -c '([^']+)'/.exec(guide) ?? [];
  return statements;
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

it('the last second of the log: the rail names the payment before anything is sent again', async () => {
  await backUpTheLog();
  const lostFrom = new Date();
  await paid('log');
  const lost = { lostFrom, lostUntil: new Date() };
  const before = await pushes();
  // The trees of the records note the lost events.
  const { privateKey } = generateKeyPairSync('ed25519');
  const key = { AUDIT_SEAL_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
  const sealed = () => service.runCommand(['audit', 'seal'], key);
  expect(await sealed()).toMatchObject({ code: 0 });
  await stopped(
    async () => {
      await restoreTheLog();
      await dropTheViews();
    },
    async () => {
      expect(await asked(lost)).toEqual([expect.objectContaining({ why: 'nobody_asked' })]);
      expect(await sealed()).toMatchObject({
        code: 1,
        text: expect.stringContaining('HISTORY CHANGED'),
      });
      await rowsOf(await rebuildOfTheTrees());
      expect(await sealed()).toMatchObject({ code: 0 });
    },
  );
  expect((await stateOf('log')).status).toBe(404);
  expect(await pushes()).toBe(before);
  await expectOneLedger();
}, 400_000);

it('both: the same, and nothing is posted twice', async () => {
  await backUpTheLog();
  const moment = await archived.now();
  const lostFrom = new Date();
  await paid('both');
  const lost = { lostFrom, lostUntil: new Date() };
  const before = await pushes();
  await stopped(
    async () => {
      await restoreTheLog();
      await archived.restoreTo(moment);
    },
    async () => {
      const [missing, ...others] = await asked(lost);
      expect(others).toEqual([]);
      // To ask again changes nothing.
      expect(await asked(lost)).toEqual([missing]);
      await posted(missing);
      expect(await asked(lost)).toEqual([]);
    },
  );
  expect((await stateOf('both')).status).toBe(404);
  expect(await pushes()).toBe(before);
  await expectOneLedger();
}, 400_000);

it('losses that two admins accept end the alarm, and a later loss raises it again', async () => {
  admins = await grantTwoAdmins(service.env);
  // The losses of the second test are still missing.
  const checks = [['verify'], ['audit', 'check']];
  for (const check of checks) expect(await service.runCommand(check)).toMatchObject({ code: 1 });
  const { losses } = (await pesapost(admins.asha, 'audit', 'losses', 'show')) as unknown as {
    losses: { messages: number; claims: number; digest: string };
  };
  expect(losses).toMatchObject({ messages: 2, claims: 1 });
  const accept = ['audit', 'losses', 'accept', '--reason', 'restored the records'];
  expect(await service.runCommand([...accept, '--digest', 'another'], admins.asha)).toMatchObject({
    code: 1,
    text: expect.stringContaining(losses.digest),
  });
  const done = await decidedByTwo(admins, ...accept, '--digest', losses.digest);
  expect(done).toMatchObject({ messages: 2, claims: 1 });

  const [verified, checked] = [
    await service.runCommand(['verify']),
    await service.runCommand(['audit', 'check']),
  ];
  expect([verified.code, checked.code]).toEqual([0, 0]);
  expect(verified.text).toMatch(/idempotency claims? \(1 accepted as lost\)/);
  expect(verified.text).toContain('that events name: 2 accepted as lost');
  expect(checked.text).toContain('accepted as lost');
  expect(await service.runCommand(['audit', 'losses', 'show'], admins.asha)).toMatchObject({
    text: expect.stringContaining('nothing is missing'),
  });
  const acts = await eventually(
    () =>
      rowsOf<{ type: string; reason: string }>(`select type, reason from ${viewSchema()}.acts
      where type = 'LossesAccepted'`),
    ({ length }) => length > 0,
    { withinMs: 60_000 },
  );
  expect(acts).toEqual([{ type: 'LossesAccepted', reason: 'restored the records' }]);

  // Somebody with the database's password removes one more.
  const [gone] = await rowsOf<{ id: string }>(`delete from records.sealed_messages
    where kind = 'request' and stream like '%:before' returning id`);
  const again = await service.runCommand(['verify']);
  expect(again.code).toBe(1);
  expect(again.text).toContain(`sealed_messages.row: expected message ${gone?.id ?? ''}`);
  expect(again.text).toContain('1 difference: ');
  const { code, text } = await service.runCommand(['audit', 'check']);
  expect(code).toBe(1);
  expect(text).toMatch(/the message that it names is not in the records \(.*:before, /);
  expect(text).toContain('1 faults');
}, 400_000);

interface Missing {
  readonly why: string;
  readonly command: string;
}

/** Asks the rail about the lost time, once the views hold the log up to its end. @returns what the ledger lacks */
async function asked(lost: {
  readonly lostFrom: Date;
  readonly lostUntil: Date;
}): Promise<readonly Missing[]> {
  const { text } = await eventually(
    () =>
      service.runCommand([
        ...['reconcile', 'window', '--mode', 'demo', '--json'],
        ...['--from', lost.lostFrom.toISOString(), '--to', lost.lostUntil.toISOString()],
      ]),
    (outcome) => outcome.text.startsWith('{'),
    { withinMs: 180_000, everyMs: 2_000 },
  );
  const answer = JSON.parse(text.slice(0, text.lastIndexOf('}') + 1)) as {
    readonly taken: number;
    readonly missing: readonly Missing[];
  };
  expect(answer.taken).toBe(1);
  return answer.missing;
}

/** Posts the payment with the command that the answer names, and confirms it. */
async function posted(missing: Missing | undefined): Promise<void> {
  const named = missing?.command.match(/"[^"]*"|\S+/g)?.slice(2) ?? [];
  const { merchantId } = service.merchant.credentials;
  const words = named.map((word) => (word === 'MERCHANT' ? merchantId : word.replaceAll('"', '')));
  const id = randomUUID();
  expect(await service.runCommand([...words, '--id', id, '--as', 'asha'])).toMatchObject({
    code: 0,
  });
  const confirm = ['correction', 'confirm', id, '--mode', 'demo', '--as', 'joseph'];
  expect(await service.runCommand(confirm)).toMatchObject({ code: 0 });
}
