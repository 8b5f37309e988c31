import { DependencyUnavailable } from '#domain/kernel';
import {
  Database,
  type DatabaseOptions,
  isMissingRight,
  migrateRecords,
  MigrationError,
  missingRights,
  type Queryable,
  ReadDatabase,
  requireMigrated,
  superuserProblem,
} from '#infra/postgres';
import { type ProcessContext } from '#infra/runtime';
import { offsetProblem } from './clock-offset.js';
import { createViews, viewSchema } from './create-views.js';

/**
 * The database of a service process, with the records migrated and the views of this release's shape in its search_path.
 * @throws Error if live mode refuses the database's role, if the role lacks a right, if CLOCK_OFFSET is set and there is
 *   live data, or if MIGRATIONS is `apart` and one has not run
 */
export async function openViews(
  context: ProcessContext,
  options: Pick<DatabaseOptions, 'poolSize' | 'statementTimeoutMs' | 'isPipelined'> = {},
): Promise<Database> {
  const { servers, settings } = context;
  const database = new Database({
    ...viewOptions(context),
    url: servers.databaseUrl,
    poolSize: settings.databasePoolWrite,
    ...options,
  });
  // Before the first write, so that no table belongs to a superuser.
  refuse(await superuserProblem(database, settings));
  refuse(await problemOfDirectRole(database, settings));
  refuse(await missingRights(database, ['records', viewSchema()]));
  if (settings.migrations === 'apart') await requirePrepared(database);
  else await prepare(database).catch(explained);
  refuse(await offsetProblem(database, settings.clockOffsetMs));
  return database;
}

/**
 * Migrates the records and creates the set of views of this release if it is missing.
 * @param onRan called with each migration that ran
 */
export async function prepare(
  database: Database,
  onRan?: (name: string) => void,
): Promise<readonly string[]> {
  const ran = await migrateRecords(database, undefined, onRan);
  await createViews(database, viewSchema());
  return ran;
}

/** @throws MigrationError if `prepare` is still to do something */
async function requirePrepared(database: Queryable): Promise<void> {
  await requireMigrated(database);
  const [views] = await database.query('select 1 from pg_namespace where nspname = $1', [
    viewSchema(),
  ]);
  if (!views) throw new MigrationError(`${viewSchema()} is missing: run pesapost migrate first`);
}

/** The role behind the pooler may be another one. */
async function problemOfDirectRole(
  database: Database,
  settings: ProcessContext['settings'],
): Promise<string | undefined> {
  if (settings.databaseDirectUrl === undefined) return undefined;
  const direct = database.withSessions({ poolSize: 1 });
  try {
    return await superuserProblem(direct, settings, 'DATABASE_DIRECT_URL');
  } finally {
    await direct.close();
  }
}

/** A role that may not change the schema needs somebody else to migrate. */
function explained(error: unknown): never {
  if (!isMissingRight(error)) throw error;
  throw new MigrationError(
    `DATABASE_URL: its role may not change the schema (${error.message}): run pesapost migrate with the owner’s role, and set MIGRATIONS=apart here`,
  );
}

function refuse(problem: string | undefined): void {
  if (problem !== undefined) throw new Error(problem);
}

/**
 * The pool for lists and balances, on the replica if there is one. The views' checkpoint is read with them, so
 * freshness and X-PP-Min-Position are judged by the replica's data.
 * @throws Error if live mode refuses the replica's role
 */
export async function openReadViews(context: ProcessContext): Promise<ReadDatabase> {
  const { servers, settings } = context;
  const database = new ReadDatabase({
    ...viewOptions(context),
    url: settings.databaseReadUrl ?? servers.databaseUrl,
    poolSize: settings.databasePoolRead,
    maxWaiting: waitingReads,
  });
  if (settings.databaseReadUrl !== undefined) refuse(await problemOfReplica(database, settings));
  return database;
}

/** A replica that is down keeps no API from starting, because money needs none. */
async function problemOfReplica(
  database: Database,
  settings: ProcessContext['settings'],
): Promise<string | undefined> {
  try {
    return await superuserProblem(database, settings, 'DATABASE_READ_URL');
  } catch (error) {
    if (error instanceof DependencyUnavailable) return undefined;
    throw error;
  }
}

/** Maximum number of lists that wait for a connection; further ones get "try again" at once. */
const waitingReads = 200;

function viewOptions({ app, settings, logger }: ProcessContext): Omit<DatabaseOptions, 'url'> {
  const { clockOffsetMs, databaseDirectUrl: directUrl } = settings;
  return { app, logger, searchPath: [viewSchema()], clockOffsetMs, directUrl };
}
