import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type OwnServers, type Service, startOwnServers, startService } from '#testing';
import { mountSmallDisk, type SmallDisk } from '../servers/small-disk.js';
import { expectAgreement, settled } from './agreed.js';
import { collectUntilAnswered } from './load.js';
import { asked } from './postgres-backup.js';

let servers: OwnServers;
let service: Service;
let disk: SmallDisk | undefined;

beforeAll(async () => {
  servers = await startOwnServers();
  disk = await mountSmallDisk(servers.pid('postgres'), 96 * 2 ** 20);
  await useTheDisk(disk.path);
  service = await startService(servers.env);
});
afterAll(async () => {
  await service.stop();
  await servers.stop();
  await disk?.end();
});

/** Puts all tables on a disk of their own, those that are made later included. */
async function useTheDisk(path: string): Promise<void> {
  await asked(servers.env.DATABASE_URL, async (client) => {
    await client.query(`create tablespace small location '${path}'`);
    const database = new URL(servers.env.DATABASE_URL).pathname.slice(1);
    await client.query(`alter database ${database} set default_tablespace = 'small'`);
    for (const kind of ['table', 'index'])
      await client.query(`alter ${kind} all in tablespace pg_default set tablespace small`);
  });
}

/** Leaves no page free, first in large steps, and then in small ones. */
async function fillTheDisk(): Promise<void> {
  await asked(servers.env.DATABASE_URL, async (client) => {
    // A row takes a page. Vacuum would give back the pages of rows that did not fit.
    await client.query(
      'create table filler (line text storage plain) with (autovacuum_enabled = false)',
    );
    for (const lines of [1000, 100, 10, 1]) {
      const fill = `insert into filler select repeat('x', 7000) from generate_series(1, ${lines})`;
      for (let isFull = false; !isFull;)
        isFull = await client.query(fill).then(
          () => false,
          (error: unknown) => {
            expect(error).toMatchObject({ code: '53100' });
            return true;
          },
        );
    }
  });
}

it('a full disk of Postgres: requests are rejected, a line says what to do, and work resumes with room', async () => {
  const merchants = [service.merchant];
  const answered = Array.from({ length: 20 }, () => `before-${randomUUID()}`);
  for (const reference of answered)
    expect(await collectUntilAnswered(merchants, { reference, phone: '254712345678' })).toBe(202);
  await fillTheDisk();
  const refused: string[] = [];
  // Pages with room take some more requests.
  for (let sent = 0; sent < 2_000 && refused.length < 3; sent += 1) {
    const reference = `full-${sent}`;
    const { status } = await service.merchant.collect({ reference }, `key-${reference}`);
    expect([202, 502, 503]).toContain(status);
    (status === 202 ? answered : refused).push(reference);
  }
  expect(refused.length).toBeGreaterThan(0);
  expect(service.logLines().join('\n')).toContain('its disk is full; make room');
  await disk?.grow();
  for (const reference of refused)
    expect(await collectUntilAnswered(merchants, { reference, phone: '254712345678' })).toBe(202);
  const all = [...answered, ...refused];
  expectAgreement(await settled(service, all), all);
});
