import { Database, type DatabaseOptions, migrateRecords, ReadDatabase } from '#infra/postgres';
import { type ProcessContext } from '#infra/runtime';
import { createViews, viewSchema } from './create-views.js';

/** The database of a process of ours, with the records migrated and the views of this release's shape in its reach. */
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
  await migrateRecords(database);
  await createViews(database, viewSchema());
  return database;
}

/**
 * The pool of lists and balances, of the replica where there is one. The views' checkpoint is read with them, so their
 * freshness and X-PP-Min-Position are judged by what the replica holds.
 */
export function openReadViews(context: ProcessContext): ReadDatabase {
  const { servers, settings } = context;
  return new ReadDatabase({
    ...viewOptions(context),
    url: settings.databaseReadUrl ?? servers.databaseUrl,
    poolSize: settings.databasePoolRead,
    maxWaiting: waitingReads,
  });
}

/** Lists that may wait for a connection of theirs; more are told at once to come again. */
const waitingReads = 200;

function viewOptions({
  app,
  settings,
  logger,
}: ProcessContext): Pick<DatabaseOptions, 'app' | 'logger' | 'searchPath' | 'clockOffsetMs'> {
  return { app, logger, searchPath: [viewSchema()], clockOffsetMs: settings.clockOffsetMs };
}
