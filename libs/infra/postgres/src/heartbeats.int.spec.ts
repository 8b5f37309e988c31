import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { createLogger, Loop, Metrics, SystemClock } from '#infra/runtime';
import { eventually, throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { spawnSync } from 'node:child_process';
import {
  beat,
  beatingOf,
  endBeating,
  endKilled,
  Heart,
  migrateRecords,
  readHeartbeats,
} from './index.js';

let own: ThrowAwayDatabase;
beforeAll(async () => {
  own = await throwAwayDatabase();
  await migrateRecords(own.database);
});
afterAll(() => own.drop());
beforeEach(() => own.database.query('delete from records.heartbeats'));

const past = (app: string, age: string): Promise<unknown> =>
  own.database.query(
    `update records.heartbeats set seen_at = clock_timestamp() - interval '${age}' where app = '${app}'`,
  );

it('a process is seen when it beats, and silent since its last beat by the database’s clock', async () => {
  const worker = beatingOf('worker', 9465);
  await beat(own.database, worker);
  await past('worker', '40 seconds');
  const [seen] = await readHeartbeats(own.database);
  expect(seen).toMatchObject({ app: 'worker', pid: process.pid, hasEnded: false });
  expect(seen?.version).toMatch(/^\d+\.\d+\.\d+\+[0-9a-f]{12}$/);
  expect(seen?.silentSeconds).toBeGreaterThanOrEqual(40);
  await beat(own.database, worker);
  const [again] = await readHeartbeats(own.database);
  expect(again?.silentSeconds).toBeLessThan(40);
  expect(again?.startedAt).toEqual(seen?.startedAt);
});

it('a process’s clock counts as wrong until a heartbeat finds that it agrees', async () => {
  const worker = beatingOf('worker', 9465);
  const aheadSeconds = async () => (await readHeartbeats(own.database))[0]?.clockAheadSeconds;
  await beat(own.database, worker);
  expect(await aheadSeconds()).toBe(0);
  await beat(own.database, worker, -600);
  expect(await aheadSeconds()).toBe(-600);
  await beat(own.database, worker);
  expect(await aheadSeconds()).toBe(0);
});

const stalledIn = async () => (await readHeartbeats(own.database))[0]?.stalledLoops;

it('a process names its loops that complete no step', async () => {
  const [metrics, logger] = [new Metrics(), createLogger({ app: 'spec', level: 'silent' })];
  const heart = new Heart(
    { app: 'worker', logger, metrics, clock: new SystemClock(0) },
    own.database,
  );
  const [hanging, resting] = ['hanging', 'resting'].map(
    (name) =>
      new Loop({
        name,
        step: () => (name === 'hanging' ? new Promise(() => undefined) : Promise.resolve('idle')),
        idleMs: 600_000,
        maxBackoffMs: 1,
        stopDeadlineMs: 1,
        stalledAfterMs: 1,
        logger,
        metrics,
      }),
  );
  hanging?.start();
  resting?.start();
  heart.start('worker', 9465);
  expect(await eventually(stalledIn, (names) => names?.length === 1)).toEqual(['hanging']);
  await hanging?.stop();
  expect(await eventually(stalledIn, (names) => names?.length === 0)).toEqual([]);
  await resting?.stop();
  await heart.stop();
});

it('loops that complete no step are those of the run that wrote them, not of an older release’s', async () => {
  const worker = beatingOf('worker', 9465);
  await beat(own.database, worker, 0, ['notices']);
  expect(await stalledIn()).toEqual(['notices']);
  await own.database.query('update records.heartbeats set run = gen_random_uuid()');
  expect(await stalledIn()).toEqual([]);
});

it('a process that is started again takes the row of the one before it', async () => {
  await beat(own.database, beatingOf('worker', 9465));
  await own.database.query(`update records.heartbeats set started_at = 'epoch'`);
  await beat(own.database, beatingOf('worker', 9465));
  const seen = await readHeartbeats(own.database);
  expect(seen).toHaveLength(1);
  expect(seen[0]?.startedAt.getTime()).toBeGreaterThan(0);
});

it('a process that is asked to stop records its end, unless another has taken its row', async () => {
  const [first, second] = [beatingOf('worker', 1), beatingOf('worker', 1)];
  await beat(own.database, first);
  await beat(own.database, second);
  await endBeating(own.database, first);
  expect((await readHeartbeats(own.database))[0]?.hasEnded).toBe(false);
  await endBeating(own.database, second);
  expect((await readHeartbeats(own.database))[0]?.hasEnded).toBe(true);
});

it('old rows are deleted, except the newest of a needed app', async () => {
  await beat(own.database, beatingOf('worker', 1));
  await beat(own.database, beatingOf('daraja-simulator', 2));
  await past('worker', '1 hour');
  await past('daraja-simulator', '1 hour');
  const appsSeen = async () => (await readHeartbeats(own.database)).map(({ app }) => app);
  await beat(own.database, beatingOf('api', 3));
  expect(await appsSeen()).toEqual(['api', 'worker']);
  await beat(own.database, beatingOf('worker', 4));
  expect(await appsSeen()).toEqual(['api', 'worker']);
});

it('a killed process is recorded as ended by the next process of its app on its host', async () => {
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  const killed = { ...beatingOf('worker', 1), pid };
  const elsewhere = { ...killed, instance: 'elsewhere:1' };
  const [alive, projector] = [beatingOf('worker', 2), { ...beatingOf('projector', 3), pid }];
  for (const each of [killed, elsewhere, alive, projector]) await beat(own.database, each);
  const next = beatingOf('worker', 4);
  await beat(own.database, next);
  await endKilled(own.database, next);
  const ended = (await readHeartbeats(own.database)).filter(({ hasEnded }) => hasEnded);
  expect(ended.map(({ instance }) => instance)).toEqual([killed.instance]);
});
