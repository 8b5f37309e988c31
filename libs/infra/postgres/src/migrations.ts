import { setTimeout as sleep } from 'node:timers/promises';
import { DependencyUnavailable } from '#domain/kernel';
import { packageDirectory } from '#infra/runtime';
import { type Database, type Queryable } from './database.js';
import { isLockTimeout } from './failures.js';
import { MigrationError, type MigrationFile, readMigrations } from './migration-files.js';

/** Any number that no other code locks. The lock makes processes that start together migrate one after the other. */
const migrationLock = 7_265_001;
const maxTimeMs = 120_000;
/** The time in which an index of a very large table is built. */
const maxIndexMs = 12 * 3_600_000;
/**
 * A change of a table waits for its readers and writers, and later ones wait behind it. So it gives up after this, and
 * tries again.
 */
const lockWait = { timeout: '3s', tries: 10, pauseMs: 2000 };
/** The first release with `pg_input_is_valid`, which checks a row's text before it is used. */
const oldestRelease = 16;

const create = `
  create schema if not exists records;
  create table if not exists records.migrations (
    number integer primary key,
    name text not null,
    checksum text not null,
    applied_at timestamptz not null default clock_timestamp()
  );
  alter table records.migrations add column if not exists needs integer`;
const exists = `select to_regclass('records.migrations') is not null as there`;
/** Databases of earlier releases have no column `needs`, and only `create` adds it. */
const select = `
  select number, name, checksum, (to_jsonb(migration) ->> 'needs')::integer as needs
    from records.migrations migration order by number`;
const insert = `insert into records.migrations (number, name, checksum, needs) values ($1, $2, $3, $4)`;
const validity = `
  select indisvalid as valid from pg_index where indexrelid = to_regclass('records.' || quote_ident($1))`;

const recordsDirectory = (): string => packageDirectory('migrations', 'records');

interface Applied {
  readonly number: number;
  readonly name: string;
  readonly checksum: string;
  readonly needs: number | null;
}

/**
 * Runs the files `NNNN_name.sql` of the directory that have not run yet, in order, each once. Files between two
 * `-- concurrently` run in one transaction, all or none; those files run alone. A database with later migrations than
 * this release stays unchanged: during a rolling update an older release runs next to the newer one.
 * @param onRan called with the name of each file that ran, once it is committed
 * @returns their names
 * @throws MigrationError if a file that has run was changed, a number exists twice, the server is too old, a later
 *   release removed what this one needs, or a lock could not be had
 */
export async function migrateRecords(
  database: Database,
  directory = recordsDirectory(),
  onRan: (name: string) => void = () => undefined,
): Promise<string[]> {
  const files = await readMigrations(directory);
  const session = database.withSessions({ poolSize: 1, statementTimeoutMs: maxIndexMs });
  const ran: string[] = [];
  const noteRun = (name: string): void => {
    ran.push(name);
    onRan(name);
  };
  try {
    for (let tries = lockWait.tries; ; tries -= 1) {
      try {
        await migrateIn(session, files, noteRun);
        return ran;
      } catch (error) {
        if (!isLockTimeout(error)) throw error;
        if (tries === 1) throw lockNotHad(error);
      }
      await sleep(lockWait.pauseMs);
    }
  } finally {
    await session.close();
  }
}

function lockNotHad(cause: unknown): DependencyUnavailable {
  return new DependencyUnavailable(
    'postgres',
    `a migration waited ${lockWait.tries} times for a lock: end the transaction that holds it (pg_locks, pg_stat_activity), then start again`,
    { cause },
  );
}

/** @param session has one connection, whose lock ends with it */
async function migrateIn(
  session: Database,
  files: readonly MigrationFile[],
  onRan: (name: string) => void,
): Promise<void> {
  await requireRelease(session);
  await session.query(`set lock_timeout = '${maxTimeMs}ms'`);
  await session.query('select pg_advisory_lock($1)', [migrationLock]);
  await session.query(`set lock_timeout = '${lockWait.timeout}'`);
  for (;;) {
    const [next, ...rest] = pendingOf(files, await appliedIn(session));
    if (next === undefined) return;
    const group = next.index === undefined ? [next, ...upToIndex(rest)] : [next];
    await session.query(create);
    if (next.index === undefined) await applyTogether(session, group);
    else await applyAlone(session, next, next.index);
    for (const { name } of group) onRan(name);
  }
}

/** Returns the migrations that have run; undefined if the database has no records. */
async function appliedIn(database: Queryable): Promise<Applied[] | undefined> {
  const [found] = await database.query<{ there: boolean }>(exists);
  return found?.there === true ? database.query<Applied>(select) : undefined;
}

function upToIndex(files: readonly MigrationFile[]): readonly MigrationFile[] {
  const end = files.findIndex(({ index }) => index !== undefined);
  return end === -1 ? files : files.slice(0, end);
}

/** @throws MigrationError if the applied ones do not fit the files */
function pendingOf(
  files: readonly MigrationFile[],
  applied: readonly Applied[] = [],
): readonly MigrationFile[] {
  const newest = files.at(-1)?.number ?? 0;
  for (const { number, name, checksum, needs } of applied) {
    const file = files.find((candidate) => candidate.number === number);
    if (file && file.checksum !== checksum)
      throw new MigrationError(
        `migration ${name} was changed after it had run: restore it and add a new file instead`,
      );
    if (needs !== null && newest < needs)
      throw new MigrationError(
        `migration ${name} needs a release that has migration ${text(needs)}, and this one ends at ${text(newest)}: start a newer release`,
      );
  }
  const known = new Set(applied.map(({ number }) => number));
  return files.filter(({ number }) => !known.has(number));
}

function text(number: number): string {
  return String(number).padStart(4, '0');
}

async function applyTogether(session: Database, group: readonly MigrationFile[]): Promise<void> {
  await session.transaction(
    async (transaction) => {
      for (const file of group) {
        await transaction.query(file.sql);
        await note(transaction, file);
      }
    },
    { statementTimeoutMs: maxTimeMs },
  );
}

/**
 * Builds an index that lets writers continue. If an earlier attempt was interrupted, Postgres has kept an index that is
 * not valid: it is dropped first.
 */
async function applyAlone(session: Database, file: MigrationFile, index: string): Promise<void> {
  // It waits for old transactions, and no other statement waits for it.
  await session.query('set lock_timeout = 0');
  const [found] = await session.query<{ valid: boolean }>(validity, [index]);
  if (found?.valid === false) await session.query(`drop index concurrently records.${index}`);
  if (found?.valid !== true) await session.query(file.sql);
  await note(session, file);
  await session.query(`set lock_timeout = '${lockWait.timeout}'`);
}

async function note(database: Queryable, file: MigrationFile): Promise<void> {
  const { number, name, checksum, needs = null } = file;
  await database.query(insert, [number, name, checksum, needs]);
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
 * Checks that all migrations of this release have run, for a process that may not run them itself.
 * @throws MigrationError if one is missing, or like `migrateRecords`
 */
export async function requireMigrated(
  database: Queryable,
  directory = recordsDirectory(),
): Promise<void> {
  const files = await readMigrations(directory);
  const [missing] = pendingOf(files, await appliedIn(database));
  if (missing)
    throw new MigrationError(`migration ${missing.name} has not run: run pesapost migrate first`);
}

/**
 * The last migration of a database's records, and of this release's.
 * @returns undefined if the database has no records
 */
export async function recordsVersion(
  database: Queryable,
  directory = recordsDirectory(),
): Promise<{ readonly applied: number; readonly known: number } | undefined> {
  const applied = await appliedIn(database);
  if (applied === undefined) return undefined;
  const known = await readMigrations(directory);
  return { applied: applied.at(-1)?.number ?? 0, known: known.at(-1)?.number ?? 0 };
}
