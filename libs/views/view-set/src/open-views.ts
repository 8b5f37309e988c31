import { Database, type DatabaseOptions, migrateRecords, ReadDatabase } from '#infra/postgres';
import { type ProcessContext } from '#infra/runtime';
import { offsetProblem } from './clock-offset.js';
import { createViews, viewSchema } from './create-views.js';

/**
 * The database of a service process, with the records migrated and the views of this release's shape in its search_path.
 * @throws Error if CLOCK_OFFSET is set and there is live data
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
  await migrateRecords(database);
  await createViews(database, viewSchema());
  const problem = await offsetProblem(database, settings.clockOffsetMs);
  if (problem !== undefined) throw new Error(problem);
  return database;
}

/**
 * The pool for lists and balances, on the replica if there is one. The views' checkpoint is read with them, so
 * freshness and X-PP-Min-Position are judged by the replica's data.
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

/** Maximum number of lists that wait for a connection; further ones get "try again" at once. */
const waitingReads = 200;

function viewOptions({
  app,
  settings,
  logger,
}: ProcessContext): Pick<DatabaseOptions, 'app' | 'logger' | 'searchPath' | 'clockOffsetMs'> {
  return { app, logger, searchPath: [viewSchema()], clockOffsetMs: settings.clockOffsetMs };
}
