import { readFileSync } from 'node:fs';
import { packageDirectory } from '#infra/runtime';
import { throwAwayDatabase, type ThrowAwayDatabase } from '#testing';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import pg from 'pg';
import { createViews, viewSchema } from '#views/view-set';
import { randomBytes } from 'node:crypto';

/** The guide's way from one database role to two, on a database whose only role owns everything. */
const name = `service_${randomBytes(6).toString('hex')}`;
let own: ThrowAwayDatabase;

const sql = (): string => {
  const guide = readFileSync(packageDirectory('docs/how-to/run-on-real-servers.md'), 'utf8');
  const section = guide.slice(guide.indexOf('\n## Two database roles'));
  return (/```sql\n([^]*?)```/.exec(section)?.[1] ?? '')
    .replaceAll(/(database) pesapost\b/g, `$1 ${new URL(own.url).pathname.slice(1)}`)
    .replaceAll(/\bpesapost(?=_owner\b|\b)/g, name)
    .replaceAll(/\bviews_\d+\b/g, viewSchema());
};

async function as<T>(role: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: own.url });
  await client.connect();
  try {
    await client.query(`set role ${role}`);
    return await work(client);
  } finally {
    await client.end();
  }
}

beforeAll(async () => {
  own = await throwAwayDatabase();
  await createViews(own.database, viewSchema());
  await own.database.query(`create role ${name} login`);
  const { pathname } = new URL(own.url);
  await own.database.query(`alter database ${pathname.slice(1)} owner to ${name}`);
  for (const schema of ['records', viewSchema()]) {
    await own.database.query(`alter schema ${schema} owner to ${name}`);
    await own.database.query(`
      do $$ declare it record; begin
        for it in select oid::regclass as relation from pg_class
          where relnamespace = '${schema}'::regnamespace and relkind in ('r', 'v') loop
          execute format('alter table %s owner to ${name}', it.relation);
        end loop; end $$`);
  }
  await own.database.query(sql());
});
afterAll(async () => {
  const server = new URL(own.url);
  await own.drop();
  server.pathname = '/postgres';
  const admin = new pg.Client({ connectionString: server.href });
  await admin.connect();
  await admin.query(`drop role ${name}_owner`);
  await admin.query(`drop role ${name}`);
  await admin.end();
});

it('the service reads and writes rows of what exists, and changes no definition', async () => {
  await as(name, async (client) => {
    await client.query('select count(*) from records.heartbeats');
    await client.query(`delete from ${viewSchema()}.merchants`);
    await client.query('create temporary table compared (n int)');
    for (const change of [
      'create table records.another (n int)',
      'alter table records.heartbeats add column another int',
      `drop schema ${viewSchema()} cascade`,
      'create schema another',
    ])
      await expect(client.query(change)).rejects.toThrow(/permission denied|must be owner/);
  });
});

it('the owner changes definitions, and the service may use what it makes', async () => {
  await as(`${name}_owner`, async (client) => {
    await client.query('create schema views_9999');
    await client.query('create table views_9999.balances (n int)');
    await client.query('alter table records.heartbeats add column another int');
  });
  await as(name, (client) => client.query('insert into views_9999.balances values (1)'));
});
