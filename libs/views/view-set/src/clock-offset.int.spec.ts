import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Database } from '#infra/postgres';
import { createLogger } from '#infra/runtime';
import { type ThrowAwayDatabase, throwAwayDatabase } from '#testing';
import { offsetProblem } from './clock-offset.js';
import { createViews, viewSchema } from './create-views.js';

let own: ThrowAwayDatabase;
let database: Database;
beforeAll(async () => {
  own = await throwAwayDatabase();
  const logger = createLogger({ app: 'spec', level: 'silent' });
  database = new Database({ url: own.url, app: 'spec', logger, searchPath: [viewSchema()] });
});
afterAll(async () => {
  await database.close();
  await own.drop();
});

const refused = expect.stringContaining('CLOCK_OFFSET is for tests only') as unknown;

it('an offset is refused once there is a live account or credential, and not before', async () => {
  expect(await offsetProblem(database, 1000)).toBeUndefined();
  await createViews(database, viewSchema());
  await database.query(`insert into merchants values ('m', 'Duka', 'Africa/Nairobi', 'KE')`);
  await database.query(`insert into accounts values ('1', 'm', 'demo', 'KES', 1)`);
  expect(await offsetProblem(database, 1000)).toBeUndefined();
  await database.query(`insert into accounts values ('2', 'm', 'live', 'KES', 2)`);
  expect(await offsetProblem(database, 1000)).toEqual(refused);
  expect(await offsetProblem(database, -1000)).toEqual(refused);
  expect(await offsetProblem(database, 0)).toBeUndefined();
  await database.query(`delete from accounts where mode = 'live'`);
  await database.query(
    `insert into credentials (credential_id, merchant_id, kind, mode, holder, client_id, public_key_pem, ip_ranges, revoked)
     values ('c', 'm', 'v4', 'live', 'till', 'c', 'pem', '{127.0.0.1}', false)`,
  );
  expect(await offsetProblem(database, 1000)).toEqual(refused);
});
