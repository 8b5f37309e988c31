import { throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { sealedTables } from './key-uses.js';

let own: ThrowAwayDatabase;
beforeAll(async () => {
  own = await throwAwayDatabase();
});
afterAll(() => own.drop());

it('every table of the records whose rows name a key and hold a ciphertext is rewrapped', async () => {
  const tables = await own.database.query<{ table_name: string }>(
    `select table_name from information_schema.columns
      where table_schema = 'records' and column_name in ('key_id', 'ciphertext')
      group by table_name having count(*) = 2 order by table_name`,
  );
  expect(tables.map(({ table_name }) => table_name)).toEqual(
    sealedTables.map(({ table }) => table).sort(),
  );
});
