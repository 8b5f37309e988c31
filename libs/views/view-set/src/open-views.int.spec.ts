import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { randomBytes } from 'node:crypto';
import { Database } from '#infra/postgres';
import { createLogger, processContext } from '#infra/runtime';
import { patientPool, type ThrowAwayDatabase, throwAwayDatabase } from '#testing';
import { offsetProblem } from './clock-offset.js';
import { liveDataOf } from './live-data.js';
import { createViews, viewSchema } from './create-views.js';
import { openReadViews, openViews } from './open-views.js';

let own: ThrowAwayDatabase;
let database: Database;
beforeAll(async () => {
  own = await throwAwayDatabase();
  database = own.database.beside({ searchPath: [viewSchema()] });
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

it('the views say if there is live data, once they have contained the whole log', async () => {
  const empty = await throwAwayDatabase();
  expect(await liveDataOf(empty.database)).toBe('unknown');
  await empty.drop();
  await database.query(`delete from credentials`);
  expect(await liveDataOf(database)).toBe('unknown');
  await database.query(`update checkpoint set fresh_at = now()`);
  expect(await liveDataOf(database)).toBe('none');
  await database.query(`insert into accounts values ('3', 'm', 'live', 'KES', 3)`);
  expect(await liveDataOf(database)).toBe('live');
});

describe('a database role in live mode', () => {
  const name = `plain_${randomBytes(6).toString('hex')}`;
  let plainUrl: string;

  beforeAll(async () => {
    await own.database.query(`create role ${name} login password 'plain'`);
    await own.database.query(`create role ${name}_root superuser`);
    await own.database.query(`create database ${name} owner ${name}`);
    const url = new URL(own.url);
    [url.username, url.password, url.pathname] = [name, 'plain', `/${name}`];
    plainUrl = url.href;
  });
  afterAll(async () => {
    await own.database.query(`drop database ${name} with (force)`);
    await own.database.query(`drop role ${name}, ${name}_root`);
  });

  it('is no superuser’s, unless it is allowed', async () => {
    await expect(openViews(context(own.url))).rejects.toThrow(refusedRole('DATABASE_URL'));
    await closed(openViews(context(own.url, { ALLOW_UNSAFE: 'superuser-database' })));
    await closed(openViews(context(own.url, { EMBEDDED_SERVERS: 'postgres' })));
    await expect(
      openViews(context(own.url, { ALLOW_UNSAFE: 'weak-presence', EMBEDDED_SERVERS: 'redis' })),
    ).rejects.toThrow(refusedRole('DATABASE_URL'));
  });

  it('is any in demo mode', () => closed(openViews(context(own.url, demoAlone))));

  it('is no member of a superuser, and one that is writes nothing', async () => {
    await own.database.query(`grant ${name}_root to ${name}`);
    await expect(openViews(context(plainUrl))).rejects.toThrow(refusedRole('DATABASE_URL'));
    expect(await schemasOf(plainUrl)).not.toContain('records');
    await own.database.query(`revoke ${name}_root from ${name}`);
    await closed(openViews(context(plainUrl)));
    expect(await schemasOf(plainUrl)).toContain('records');
  });

  it('is plain behind a pooler, too', async () => {
    const direct = (DATABASE_DIRECT_URL: string) => context(plainUrl, { DATABASE_DIRECT_URL });
    await expect(openViews(direct(own.url))).rejects.toThrow(refusedRole('DATABASE_DIRECT_URL'));
    await closed(openViews(direct(plainUrl)));
  });

  it('is plain on a replica, too, if the replica answers', async () => {
    const replica = (DATABASE_READ_URL: string) => context(plainUrl, { DATABASE_READ_URL });
    await expect(openReadViews(replica(own.url))).rejects.toThrow(refusedRole('DATABASE_READ_URL'));
    await closed(openReadViews(replica(plainUrl)));
    await closed(openReadViews(replica('postgres://u:p@127.0.0.1:1/d')));
  });
});

const refusedRole = (setting: string): RegExp =>
  new RegExp(`^${setting}: its role is a superuser.*ALLOW_UNSAFE=superuser-database `);

const demoAlone = Object.fromEntries(
  ['URL', 'SHORTCODE', 'PASSKEY', 'CONSUMER_KEY', 'CONSUMER_SECRET', 'CALLBACK_IPS'].map(
    (setting) => [`RAIL_MPESA_LIVE_${setting}`, ''],
  ),
);

/** A process with live rail settings, in which all else is safe. */
function context(
  databaseUrl: string,
  settings: Readonly<Record<string, string>> = {},
): ReturnType<typeof processContext> {
  return processContext('spec', {
    BASE_URL: 'https://pay.example',
    OIDC_ISSUER: 'https://id.example',
    OIDC_CLIENT_ID: 'portal',
    MASTER_KEY: `k1:${randomBytes(32).toString('base64')}`,
    EVENTSTORE_URL: 'esdb://a.example:2113',
    DATABASE_URL: databaseUrl,
    REDIS_URL: 'rediss://redis.example',
    RAIL_MPESA_LIVE_URL: 'https://api.safaricom.co.ke',
    RAIL_MPESA_LIVE_SHORTCODE: '600100',
    RAIL_MPESA_LIVE_PASSKEY: 'p',
    RAIL_MPESA_LIVE_CONSUMER_KEY: 'k',
    RAIL_MPESA_LIVE_CONSUMER_SECRET: 's',
    RAIL_MPESA_LIVE_CALLBACK_IPS: '196.201.214.0/24',
    LOG_LEVEL: 'silent',
    ...settings,
  });
}

const closed = async (opening: Promise<Database>): Promise<void> => (await opening).close();

async function schemasOf(url: string): Promise<readonly string[]> {
  const logger = createLogger({ app: 'spec', level: 'silent' });
  const opened = new Database({ ...patientPool, url, app: 'spec', logger, poolSize: 1 });
  const rows = await opened.query<{ name: string }>('select nspname as name from pg_namespace');
  await opened.close();
  return rows.map(({ name }) => name);
}
