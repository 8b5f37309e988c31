import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Database } from '#infra/postgres';
import { createLogger, packageDirectory } from '#infra/runtime';
import { prepare } from '#views/view-set';
import pg from 'pg';
import { patientPool } from '../database.js';

const patienceMs = 60_000;

/** A role with the rights that docker/postgres-roles.sql gives to the API and the worker: no change of the schema. */
export interface ServiceRole {
  /** The database's URL with the role. */
  readonly url: string;
  /** Call it once the database is gone. */
  drop(): Promise<void>;
}

/**
 * Makes the role in a database that is migrated already.
 * @param url of the database, with a superuser
 * @returns undefined if it has no records yet: then its processes migrate it themselves
 */
export async function serviceRole(url: string): Promise<ServiceRole | undefined> {
  const role = `service_${randomBytes(6).toString('hex')}`;
  const password = randomBytes(12).toString('hex');
  if (!(await connected(url, isMigrated))) return undefined;
  await makeViews(url);
  await connected(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select nspname as name from pg_namespace where nspname = 'records' or nspname like 'views\\_%'`,
    );
    await client.query(`create role ${role} login nosuperuser password '${password}'`);
    for (const statement of rightsOf(role, new URL(url))) await client.query(statement);
    // The rights above are for what is made later; a template's tables exist.
    for (const { name } of rows)
      await client.query(
        `grant usage on schema ${name} to ${role};
         grant select, insert, update, delete on all tables in schema ${name} to ${role};
         grant usage on all sequences in schema ${name} to ${role}`,
      );
  });
  const own = new URL(url);
  [own.username, own.password] = [role, password];
  const server = new URL(url);
  server.pathname = '/postgres';
  return {
    url: own.href,
    drop: () =>
      connected(server.href, (client) => client.query(`drop role ${role}`)).then(() => undefined),
  };
}

async function isMigrated(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ there: boolean }>(
    `select to_regclass('records.migrations') is not null as there`,
  );
  return rows[0]?.there === true;
}

/** The first process would make them, but not with the role. */
async function makeViews(url: string): Promise<void> {
  const logger = createLogger({ app: 'tests', level: 'fatal' });
  const database = new Database({ ...patientPool, url, app: 'tests', logger });
  try {
    await prepare(database);
  } finally {
    await database.close();
  }
}

/** The grants of docker/postgres-roles.sql, for another role, owner and database. */
function rightsOf(role: string, { username, pathname }: URL): readonly string[] {
  return readFileSync(packageDirectory('docker', 'postgres-roles.sql'), 'utf8')
    .split('\n')
    .filter((line) => /^(grant|alter default privileges) /.test(line))
    .map((line) =>
      line
        .replace('on database pesapost', `on database ${pathname.slice(1)}`)
        .replace('role pesapost_owner', `role ${username}`)
        .replace(/ to pesapost;$/, ` to ${role};`),
    );
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: patienceMs });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
