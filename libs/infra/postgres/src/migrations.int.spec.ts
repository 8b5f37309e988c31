import { packageDirectory } from '#infra/runtime';
import { throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, migrateRecords, recordsVersion, requireMigrated } from './index.js';

let own: ThrowAwayDatabase;
let directory: string;

const write = (name: string, sql: string): Promise<void> => writeFile(join(directory, name), sql);

async function untilOneWaits(): Promise<void> {
  const waiting = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  while ((await own.database.query(waiting)).length === 0) await sleep(20);
}

beforeAll(async () => {
  own = await throwAwayDatabase();
});
afterAll(async () => {
  await own.drop();
});
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'pesapost-migrations-'));
  await own.database.query('drop schema if exists records cascade');
});
afterEach(async () => {
  await rm(directory, { recursive: true, force: true });
});

describe('the migrations of the records', () => {
  it('run in order, each once, even if several processes start together', async () => {
    await write(
      '0001_first.sql',
      'create table records.a (n int); insert into records.a values (1);',
    );
    await write('0002_second.sql', 'update records.a set n = n * 10;');
    const ran = await Promise.all([1, 2, 3].map(() => migrateRecords(own.database, directory)));
    expect(ran.flat().sort()).toEqual(['0001_first.sql', '0002_second.sql']);
    await write('0003_third.sql', 'update records.a set n = n + 5;');
    expect(await migrateRecords(own.database, directory)).toEqual(['0003_third.sql']);
    expect(await own.database.query('select n from records.a')).toEqual([{ n: 15 }]);
  });

  it('leave nothing of a run in which one fails', async () => {
    await write('0001_good.sql', 'create table records.b (n int);');
    await write('0002_bad.sql', 'create table records.b (n int);');
    await expect(migrateRecords(own.database, directory)).rejects.toThrow(/already exists/);
    expect(await own.database.query(`select to_regclass('records.b') as found`)).toEqual([
      { found: null },
    ]);
  });

  it('stop with the name of a file that was changed after it had run', async () => {
    await write('0001_first.sql', 'select 1;');
    await migrateRecords(own.database, directory);
    await write('0001_first.sql', 'select 2;');
    await expect(migrateRecords(own.database, directory)).rejects.toThrow(
      /0001_first\.sql was changed after it had run/,
    );
  });

  it('may leave gaps, and a later file that fills one still runs', async () => {
    await write('0002_second.sql', 'select 1;');
    await write('0055_later.sql', 'select 1;');
    expect(await migrateRecords(own.database, directory)).toEqual([
      '0002_second.sql',
      '0055_later.sql',
    ]);
    expect(await recordsVersion(own.database, directory)).toEqual({ applied: 55, known: 55 });
    await write('0041_between.sql', 'select 1;');
    expect(await migrateRecords(own.database, directory)).toEqual(['0041_between.sql']);
  });

  it('stop at a number that is there twice and at a file of another name', async () => {
    await write('0001_one.sql', 'select 1;');
    await write('0001_other.sql', 'select 1;');
    await expect(migrateRecords(own.database, directory)).rejects.toThrow(
      'migration 0001_other.sql has the number of 0001_one.sql',
    );
    await write('first.sql', 'select 1;');
    await expect(migrateRecords(own.database, directory)).rejects.toThrow(/not named/);
  });

  it('do not change a server that is older than the statements need', async () => {
    const answers = [{ release: 15, version: '15.20' }];
    const old = { query: () => Promise.resolve(answers) };
    const server = { withSessions: () => ({ ...old, close: () => Promise.resolve() }) };
    await write('0001_first.sql', 'create table records.c (n int);');
    await expect(migrateRecords(server as unknown as Database, directory)).rejects.toThrow(
      'the server is Postgres 15.20: 16 or later is needed',
    );
  });

  it('let an older release run beside a newer one', async () => {
    await write('0001_first.sql', 'select 1;');
    await write('0002_newer.sql', 'select 1;');
    await migrateRecords(own.database, directory);
    await rm(join(directory, '0002_newer.sql'));
    expect(await migrateRecords(own.database, directory)).toEqual([]);
  });

  it('stop a release that is too old for a later removal, and let others continue', async () => {
    await write('0001_first.sql', 'create table records.d (old int, new int);');
    await write('0002_new_column.sql', 'update records.d set new = old;');
    await write('0003_drop.sql', '-- needs: 0002\nalter table records.d drop column old;');
    await migrateRecords(own.database, directory);
    await rm(join(directory, '0003_drop.sql'));
    expect(await migrateRecords(own.database, directory)).toEqual([]);
    await rm(join(directory, '0002_new_column.sql'));
    const refusal =
      'migration 0003_drop.sql needs a release that has migration 0002, and this one ends at 0001: start a newer release';
    await expect(migrateRecords(own.database, directory)).rejects.toThrow(refusal);
    await expect(requireMigrated(own.database, directory)).rejects.toThrow(refusal);
  });

  it('are required of a process that may not run them', async () => {
    await write('0001_first.sql', 'create table records.e (n int);');
    const missing = (name: string): string => `migration ${name} has not run: run pesapost migrate`;
    await expect(requireMigrated(own.database, directory)).rejects.toThrow(
      missing('0001_first.sql'),
    );
    await migrateRecords(own.database, directory);
    await requireMigrated(own.database, directory);
    await write('0002_second.sql', 'select 1;');
    await expect(requireMigrated(own.database, directory)).rejects.toThrow(
      missing('0002_second.sql'),
    );
  });

  it('wait for a table in use for three seconds at a time, so that its readers are not held up', async () => {
    await write('0001_first.sql', 'create table records.f (n int);');
    await migrateRecords(own.database, directory);
    await write('0002_column.sql', 'alter table records.f add column m int;');
    const migrating = own.database.transaction(
      async (transaction) => {
        await transaction.query('select * from records.f');
        const begun = migrateRecords(own.database, directory);
        // The rejection is expected only below; until then it must not count as unhandled.
        begun.catch(() => undefined);
        await untilOneWaits();
        // Behind the waiting migration a reader waits as well, but no longer than it.
        await own.database.query('select * from records.f');
        await transaction.query('select 1');
        return { begun };
      },
      { statementTimeoutMs: 60_000 },
    );
    const { begun } = await migrating;
    expect(await begun).toEqual(['0002_column.sql']);
  }, 60_000);

  it('build an index beside writers, again if an attempt was cut off', async () => {
    await write(
      '0001_first.sql',
      'create table records.g (n int); insert into records.g values (1), (1);',
    );
    const statement = 'create unique index concurrently g_by_n on records.g (n);';
    await write('0002_index.sql', `-- concurrently\n${statement}`);
    await write('0003_third.sql', 'alter table records.g add column m int;');
    await expect(migrateRecords(own.database, directory)).rejects.toThrow(
      /could not create unique/,
    );
    expect(await recordsVersion(own.database, directory)).toEqual({ applied: 1, known: 3 });
    const valid = `select indisvalid as valid from pg_index where indexrelid = 'records.g_by_n'::regclass`;
    expect(await own.database.query(valid)).toEqual([{ valid: false }]);
    await own.database.query('delete from records.g');
    expect(await migrateRecords(own.database, directory)).toEqual([
      '0002_index.sql',
      '0003_third.sql',
    ]);
    expect(await own.database.query(valid)).toEqual([{ valid: true }]);
  });

  it.each([
    ['create index concurrently h_by_n on records.h (n);', 'without the comment'],
    ['-- concurrently\nselect 1; create index concurrently h_by_n on records.h (n);', 'with more'],
    ['-- concurrently\ncreate index h_by_n on records.h (n);', 'that stops writers'],
  ])('refuse %p, an index %s', async (sql) => {
    await write('0001_index.sql', sql);
    await expect(migrateRecords(own.database, directory)).rejects.toThrow(
      /must say "-- concurrently" and be one statement/,
    );
  });

  it('in this package create the tables of the records', async () => {
    const names = await migrateRecords(own.database);
    expect(names[0]).toBe('0001_records.sql');
    expect(packageDirectory('migrations', 'records')).toMatch(/migrations\/records$/);
  });
});
