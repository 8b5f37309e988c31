import { throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, migrateRecords, packageDirectory, recordsVersion } from './index.js';

let own: ThrowAwayDatabase;
let directory: string;

const write = (name: string, sql: string): Promise<void> => writeFile(join(directory, name), sql);

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
  it('run in order, each once, also where two processes start together', async () => {
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

  it('may leave gaps, and a file that fills one later runs then', async () => {
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

  it('leave a server alone that is older than the statements need', async () => {
    const answers = [{ release: 15, version: '15.20' }];
    const old = { query: () => Promise.resolve(answers) };
    const server = {
      transaction: (work: (transaction: typeof old) => Promise<unknown>) => work(old),
    };
    await write('0001_first.sql', 'create table records.c (n int);');
    await expect(migrateRecords(server as unknown as Database, directory)).rejects.toThrow(
      'the server is Postgres 15.20: 16 or later is needed',
    );
  });

  it('let an older release go on beside a newer one', async () => {
    await write('0001_first.sql', 'select 1;');
    await write('0002_newer.sql', 'select 1;');
    await migrateRecords(own.database, directory);
    await rm(join(directory, '0002_newer.sql'));
    expect(await migrateRecords(own.database, directory)).toEqual([]);
  });

  it('of this package make the tables of the records', async () => {
    const names = await migrateRecords(own.database);
    expect(names[0]).toBe('0001_records.sql');
    expect(packageDirectory('migrations', 'records')).toMatch(/migrations\/records$/);
  });
});
