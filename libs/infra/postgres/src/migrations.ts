import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Database, type Queryable } from './database.js';

/** The server is older than the statements require, or its schema's history does not fit this release's files. */
export class MigrationError extends Error {
  override readonly name = 'MigrationError';
}

interface MigrationFile {
  readonly number: number;
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

/** Any number that no other code locks. The lock makes processes that start together migrate one after the other. */
const migrationLock = 7_265_001;
const maxTimeMs = 120_000;
/** The first release with `pg_input_is_valid`, which checks a row's text before it is used. */
const oldestRelease = 16;

const create = `
  create schema if not exists records;
  create table if not exists records.migrations (
    number integer primary key,
    name text not null,
    checksum text not null,
    applied_at timestamptz not null default clock_timestamp()
  )`;
const select = `select number, name, checksum from records.migrations order by number`;
const insert = `insert into records.migrations (number, name, checksum) values ($1, $2, $3)`;

/**
 * Runs the files `NNNN_name.sql` of the directory that have not run yet, in order, each once, all or none. If a
 * database has later migrations than this release, it stays unchanged: during a rolling update an older release runs
 * next to the newer one.
 * @returns the names of the files that ran
 * @throws MigrationError if a file that has run was changed, a number exists twice, or the server is too old
 */
export async function migrateRecords(
  database: Database,
  directory = packageDirectory('migrations', 'records'),
): Promise<string[]> {
  const files = await readMigrations(directory);
  return database.transaction(
    async (transaction) => {
      await requireRelease(transaction);
      // Held to the end of the transaction; the statement's timeout limits the wait for it.
      await transaction.query('select pg_advisory_xact_lock($1)', [migrationLock]);
      await transaction.query(create);
      const applied = await transaction.query<{ number: number; name: string; checksum: string }>(
        select,
      );
      for (const { number, name, checksum } of applied) {
        const file = files.find((candidate) => candidate.number === number);
        if (file && file.checksum !== checksum)
          throw new MigrationError(
            `migration ${name} was changed after it had run: restore it and add a new file instead`,
          );
      }
      const known = new Set(applied.map(({ number }) => number));
      const pending = files.filter(({ number }) => !known.has(number));
      for (const file of pending) await apply(transaction, file);
      return pending.map(({ name }) => name);
    },
    { statementTimeoutMs: maxTimeMs },
  );
}

async function requireRelease(database: Queryable): Promise<void> {
  const [server] = await database.query<{ release: number; version: string }>(
    `select current_setting('server_version_num')::int / 10000 as release, current_setting('server_version') as version`,
  );
  if (!server || server.release < oldestRelease)
    throw new MigrationError(
      `the server is Postgres ${server?.version ?? 'of an unknown version'}: ${oldestRelease} or later is needed`,
    );
}

/**
 * The last migration of a database's records, and of this release's.
 * @returns undefined if the database has no records
 */
export async function recordsVersion(
  database: Queryable,
  directory = packageDirectory('migrations', 'records'),
): Promise<{ readonly applied: number; readonly known: number } | undefined> {
  const [found] = await database.query<{ there: boolean }>(
    `select to_regclass('records.migrations') is not null as there`,
  );
  if (found?.there !== true) return undefined;
  const applied = await database.query<{ number: number }>(select);
  const known = await readMigrations(directory);
  return { applied: applied.at(-1)?.number ?? 0, known: known.at(-1)?.number ?? 0 };
}

async function apply(transaction: Queryable, file: MigrationFile): Promise<void> {
  await transaction.query(file.sql);
  await transaction.query(insert, [file.number, file.name, file.checksum]);
}

async function readMigrations(directory: string): Promise<MigrationFile[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  const files = await Promise.all(
    names.map(async (name) => {
      const match = /^(\d{4})_[a-z0-9_]+\.sql$/.exec(name);
      if (!match) throw new MigrationError(`migration ${name} is not named NNNN_name.sql`);
      const sql = await readFile(join(directory, name), 'utf8');
      const checksum = createHash('sha256').update(sql).digest('hex');
      return { number: Number(match[1]), name, sql, checksum };
    }),
  );
  // Gaps are allowed: several people use numbers from their own ranges at the same time.
  files.forEach(({ number, name }, index) => {
    const before = files[index - 1];
    if (before?.number === number)
      throw new MigrationError(`migration ${name} has the number of ${before.name}`);
  });
  return files;
}

/** A directory of the package, from the sources or from dist. */
export function packageDirectory(...path: string[]): string {
  let directory = dirname(fileURLToPath(import.meta.url));
  while (!isPackageRoot(directory)) {
    const parent = dirname(directory);
    if (parent === directory) throw new Error('package.json of pesapost is not above this file');
    directory = parent;
  }
  return join(directory, ...path);
}

function isPackageRoot(directory: string): boolean {
  const file = join(directory, 'package.json');
  if (!existsSync(file)) return false;
  return (JSON.parse(readFileSync(file, 'utf8')) as { name?: string }).name === 'pesapost';
}
