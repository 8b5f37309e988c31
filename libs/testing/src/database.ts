import { Database, type DatabaseOptions } from '#infra/postgres';
import { createLogger } from '#infra/runtime';
import { randomBytes } from 'node:crypto';
import pg from 'pg';

const patienceMs = 60_000;
/** Options of a spec's own pool: a busy machine may take long for a connection, or for a statement. */
export const patientPool = {
  connectTimeoutMs: patienceMs,
  statementTimeoutMs: patienceMs,
  idleInTransactionMs: patienceMs,
} as const;

export interface ThrowAwayDatabase {
  readonly url: string;
  readonly database: Database;
  /** Closes the pool and drops the database, even if others are still connected. */
  drop(): Promise<void>;
}

/**
 * A database for the caller alone, with all migrations of the records, cloned from the run's template. Cloning file
 * by file takes some 50 ms; block by block through the log takes three times that. Call `drop` in `afterAll`.
 */
export async function throwAwayDatabase(
  options: Partial<DatabaseOptions> = {},
): Promise<ThrowAwayDatabase> {
  const server = setting('DATABASE_URL');
  const name = `pesapost_test_${randomBytes(6).toString('hex')}`;
  await administer(
    server,
    `create database ${name} template ${setting('PESAPOST_TEMPLATE_DATABASE')} strategy file_copy`,
  );
  const url = new URL(server);
  url.pathname = `/${name}`;
  const logger = createLogger({ app: 'tests', level: 'fatal' });
  const database = new Database({
    url: url.href,
    app: 'tests',
    logger,
    poolSize: 4,
    ...patientPool,
    ...options,
  });
  return {
    url: url.href,
    database,
    drop: async () => {
      await database.close();
      await administer(server, `drop database if exists ${name} with (force)`);
    },
  };
}

/**
 * Creates a database with nothing in it, as a first installation finds it. It stays for as long as its server.
 * @param serverUrl a URL of the server, whose user may create databases
 * @returns the new database's URL
 */
export async function emptyDatabase(serverUrl: string): Promise<string> {
  const name = `empty_${randomBytes(6).toString('hex')}`;
  await administer(serverUrl, `create database ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined)
    throw new Error(`${name} is not set: integration specs are named .int.spec.ts`);
  return value;
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: patienceMs });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
