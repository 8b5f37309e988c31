import { randomBytes, randomInt } from 'node:crypto';
import {
  type Database,
  migrateRecords,
  MigrationError,
  plainIdentifier,
  recordsVersion,
} from '#infra/postgres';
import { recordTables } from './compare-records.js';
import { DrillRefused } from './drill-refused.js';

/** Timeout of statements that read no whole table; one statement creates or drops a database. */
export const statementTimeoutMs = 60_000;

/** Opens a pool on the database of that URL. The caller closes it. */
export function openCopy(serving: Database, url: string): Database {
  const pool = { poolSize: 8, searchPath: ['public'], statementTimeoutMs };
  return serving.beside({ url, app: 'drill', ...pool });
}

/**
 * Checks that the copy may be written to, and migrates its records to this release, as a start does.
 * @throws DrillRefused if it is the serving database, a standby, without records, or of a later release
 */
export async function prepareRestored(serving: Database, copy: Database): Promise<void> {
  if (await isSame(serving, copy))
    throw new DrillRefused(
      'this is the serving database: restore the backup into another one, and name that',
    );
  const [state] = await copy.query<{ standby: boolean }>('select pg_is_in_recovery() as standby');
  if (state?.standby === true)
    throw new DrillRefused(
      'this database is a standby, which cannot be written to: promote it first',
    );
  const version = await recordsVersion(copy);
  if (!version)
    throw new DrillRefused('this database has no schema records: restore the backup into it first');
  if (version.applied > version.known)
    throw new DrillRefused(
      `the records of this database go up to migration ${version.applied}, this release knows ${version.known}: run the drill with the release that made them`,
    );
  try {
    await migrateRecords(copy);
  } catch (error) {
    if (error instanceof MigrationError) throw new DrillRefused(error.message);
    throw error;
  }
}

/** @throws DrillRefused if a later release serves: this release does not know its tables */
export async function requireServedByThis(serving: Database): Promise<void> {
  const version = await recordsVersion(serving);
  if (version && version.applied > version.known)
    throw new DrillRefused(
      `the serving records go up to migration ${version.applied}, this release knows ${version.known}: run the drill with the release that serves`,
    );
}

/**
 * Takes a lock in one database and looks for it in the other. A copy of all of a server's files has the same identity,
 * so comparing identities would not do.
 */
async function isSame(serving: Database, copy: Database): Promise<boolean> {
  const key = [randomInt(2 ** 31), randomInt(2 ** 31)];
  return serving.transaction(async (transaction) => {
    await transaction.query('select pg_advisory_xact_lock($1::int4, $2::int4)', key);
    const locks = await copy.query(
      `select 1 from pg_locks where locktype = 'advisory' and classid = $1::int8::oid and objid = $2::int8::oid
         and database = (select oid from pg_database where datname = current_database())`,
      key,
    );
    return locks.length > 0;
  });
}

const made = /^pesapost_drill_[0-9a-f]{12}$/;

/** Drops the databases of drills that were killed; they have no connections. */
export async function dropLeftOvers(serving: Database): Promise<void> {
  const rows = await serving.query<{ name: string }>(
    `select d.datname::text as name from pg_database d
     where d.datname ~ $1 and not exists (select from pg_stat_activity a where a.datname = d.datname)`,
    [made.source],
  );
  for (const { name } of rows) await dropDatabase(serving, name);
}

/** Drops a database and closes its connections. */
export async function dropDatabase(serving: Database, name: string): Promise<void> {
  await serving.query(`drop database if exists ${plainIdentifier(name)} with (force)`);
}

/** @returns the name of a new database on the same server */
export async function createDatabase(serving: Database): Promise<string> {
  const name = `pesapost_drill_${randomBytes(6).toString('hex')}`;
  await serving.query(`create database ${name}`);
  return name;
}

/** Returns the URL of another database on the same server. */
export function urlOf(servingUrl: string, name: string): string {
  const url = new URL(servingUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Fills the new database with the data that a backup contains. @throws DrillRefused */
export async function copyRecords(
  serving: Database,
  copy: Database,
  onTable: (table: string) => void,
): Promise<void> {
  await migrateRecords(copy);
  const [theirs, ours] = [await recordsVersion(serving), await recordsVersion(copy)];
  if (theirs?.applied !== ours?.applied)
    throw new DrillRefused(
      'the serving records are of another release: run the drill with that one',
    );
  const tables = [...(await recordTables(copy)).map(({ name }) => `records.${name}`)];
  await serving.copyTables(copy, [...tables, 'records.leases'], onTable);
}
