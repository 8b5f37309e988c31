import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { type Database } from '#infra/postgres';
import { createViews } from '#views/view-set';
import { findMerchants } from './profile.js';

const schema = 'views_spec_1';

let postgres: ThrowAwayDatabase;
let database: Database;
beforeAll(async () => {
  postgres = await throwAwayDatabase();
  await createViews(postgres.database, schema);
  database = postgres.database.beside({ searchPath: [schema] });
  await database.query(
    `insert into merchants (merchant_id, name, timezone, country)
     select id, name, 'Africa/Nairobi', 'KE' from
       (values ('m-1', 'Duka Moja'), ('m-2', 'Duka Mbili'), ('m-3', 'Duka Mbili'), ('m-4', '100% Juice')) as given (id, name)`,
  );
  await database.query(
    `insert into accounts (account_no, merchant_id, mode, currency, position) values ('700', 'm-4', 'demo', 'KES', 1)`,
  );
});
afterAll(() => postgres.drop());

const ids = async (text: string, after = '', limit = 10) =>
  (await findMerchants(database, { text, after, limit })).map(({ merchantId }) => merchantId);

describe('the directory of merchants', () => {
  it('is in the order of names, page by page, with two of one name', async () => {
    expect(await ids('')).toEqual(['m-4', 'm-2', 'm-3', 'm-1']);
    expect(await ids('', '', 2)).toEqual(['m-4', 'm-2']);
    expect(await ids('', 'm-2', 2)).toEqual(['m-3', 'm-1']);
    expect(await ids('', 'm-1')).toEqual([]);
    expect(await ids('', 'unknown')).toEqual([]);
  });

  it('finds a part of a name in any case, a whole id and an account number', async () => {
    expect(await ids('MBILI')).toEqual(['m-2', 'm-3']);
    expect(await ids('m-1')).toEqual(['m-1']);
    expect(await ids('700')).toEqual(['m-4']);
    // A percent sign is text, not a wildcard.
    expect(await ids('0%')).toEqual(['m-4']);
    expect(await ids('D%a')).toEqual([]);
  });
});
