import { dirname, join } from 'node:path';
import {
  eventually,
  type OwnServers,
  type ServerName,
  type Service,
  startOwnServers,
  startService,
} from '#testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { diskOf, type FillableDisk, writeLimitOf } from '../servers/small-disk.js';
import { expectAgreement, settled } from './agreed.js';
import { collectUntilAnswered } from './load.js';
import { asked } from './postgres-backup.js';
import { readinessOf, steadyAgain } from './steady.js';

/** Full disks of the event store and of Redis, under a running service; Postgres' own is in full-postgres. */
const apps = ['api', 'projector', 'worker'] as const;

let servers: OwnServers;
let service: Service;
const disks: FillableDisk[] = [];
/** References with an answer that promises the collection. */
const answered: string[] = [];

beforeAll(async () => {
  servers = await startOwnServers();
  // The rail reports later than any machine takes to fill a disk.
  service = await startService({ ...servers.env, SIMULATOR_DELAY: '30m' });
}, 300_000);
afterAll(async () => {
  await service.stop();
  for (const server of ['eventstore', 'redis'] as const) await servers.kill(server);
  for (const disk of disks) await disk.end();
  await servers.stop();
});

/** Starts the server again, with its data on a disk of their own. */
async function onDiskOfItsOwn(
  server: ServerName,
  makeDisk: () => Promise<FillableDisk>,
): Promise<FillableDisk> {
  await servers.kill(server);
  const disk = await makeDisk();
  disks.push(disk);
  await servers.start(server);
  for (const app of apps)
    await eventually(
      () => readinessOf(service.child(app).ports.adminPort),
      ({ status }) => status === 200,
    );
  return disk;
}

const collect = (reference: string): Promise<number> =>
  collectUntilAnswered([service.merchant], { reference, phone: '254712345678' });

/** Sends creates until some are refused: what is written already has room for a few more. */
async function refusedWhileFull(name: string): Promise<readonly string[]> {
  const refused: string[] = [];
  for (let sent = 0; sent < 5_000 && refused.length < 5; sent += 1) {
    const reference = `${name}-full-${sent}`;
    const { status, headers } = await service.merchant.collect({ reference }, `key-${reference}`);
    expect([202, 503]).toContain(status);
    if (status === 503) expect(headers.get('retry-after')).not.toBeNull();
    (status === 202 ? answered : refused).push(reference);
  }
  expect(refused).toHaveLength(5);
  return refused;
}

const pushes = async (): Promise<number> => {
  const response = await fetch(`${service.simulatorUrl}/_stats`);
  return ((await response.json()) as { readonly pushes: number }).pushes;
};

/** The rail reports everything that it owes, and what comes from now on at once. */
async function railReports(): Promise<void> {
  await service.kill('daraja-simulator');
  await service.startReplica('daraja-simulator', { CLOCK_OFFSET: '31m', SIMULATOR_DELAY: '50ms' });
}

async function inInbox(): Promise<number> {
  const { rows } = await asked(servers.env.DATABASE_URL, (client) =>
    client.query<{ count: number }>(
      'select count(*)::int as count from records.callback_inbox where applied_at is null',
    ),
  );
  return rows[0]?.count ?? 0;
}

const whatToDo = 'it cannot write to its disk; make room there, and the service goes on by itself';
const saidBy = (app: 'api' | 'worker'): boolean =>
  service.child(app).lines.some((line) => line.includes(`event store is unavailable: ${whatToDo}`));

function expectNoneEnded(): void {
  for (const app of apps)
    expect({ app, hasEnded: service.child(app).hasEnded() }).toEqual({ app, hasEnded: false });
}

it('a full disk of the event store: creates answer 503, callbacks wait, and work resumes with room', async () => {
  const folder = servers.eventStoreDirectory;
  // A container may not be allowed to mount.
  const limit = (): FillableDisk => writeLimitOf(() => servers.pid('eventstore'));
  const disk = await onDiskOfItsOwn('eventstore', () => diskOf(folder).catch(limit));
  const before = Array.from({ length: 20 }, (_, n) => `before-${n}`);
  for (const reference of before) expect(await collect(reference)).toBe(202);
  answered.push(...before);
  await disk.fill();
  const refused = await refusedWhileFull('store');
  // No intent, no push.
  expect(await pushes()).toBe(answered.length);
  // The process that answered knows it; what it could record of the push is in free pages, or comes later.
  expect(saidBy('api')).toBe(true);
  await railReports();
  // A confirmation is larger than an intent, and some may still find room.
  await eventually(inInbox, (waiting) => waiting > 0);
  await eventually(
    () => Promise.resolve(saidBy('worker')),
    (said) => said,
  );
  expectNoneEnded();

  await disk.makeRoom();
  for (const reference of refused) expect(await collect(reference)).toBe(202);
  answered.push(...refused);
  await steadyAgain(service, performance.now());
  const found = await settled(service, answered);
  expectAgreement(found, answered);
  expect(await inInbox()).toBe(0);
  expectNoneEnded();
  expect(
    answered.filter((reference) => found.folded.get(reference)?.status !== 'completed'),
  ).toEqual([]);
}, 600_000);

it('a full disk of Redis: requests answer 503, readiness names it, and work resumes with room', async () => {
  const folder = join(dirname(servers.eventStoreDirectory), 'redis');
  const disk = await onDiskOfItsOwn('redis', () => diskOf(folder));
  await disk.fill();
  const refused = await refusedWhileFull('redis');
  expect(service.child('api').lines.join('\n')).toContain(`redis is unavailable: ${whatToDo}`);
  const { adminPort } = service.child('api').ports;
  expect((await readinessOf(adminPort)).failing).toEqual(['redis']);
  const { code, text } = await service.runCommand(['status']);
  expect(code).toBe(1);
  expect(text).toMatch(new RegExp(`redis +down +redis is unavailable: ${whatToDo}`));
  expectNoneEnded();

  await disk.makeRoom();
  for (const reference of refused) expect(await collect(reference)).toBe(202);
  answered.push(...refused);
  await steadyAgain(service, performance.now());
  expectAgreement(await settled(service, answered), answered);
  expectNoneEnded();
}, 600_000);
