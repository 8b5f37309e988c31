import { Database, type DatabaseOptions, migrateRecords } from '#postgres';
import { type ProcessContext } from '#runtime';
import { createViews, viewSchema } from './view-set.js';

/** The database of a process of ours, with the records migrated and the views of this release's shape in its reach. */
export async function openViews(
  { app, settings, servers, logger }: ProcessContext,
  options: Pick<DatabaseOptions, 'poolSize' | 'statementTimeoutMs'> = {},
): Promise<Database> {
  const database = new Database({
    url: servers.databaseUrl,
    app,
    logger,
    searchPath: [viewSchema()],
    clockOffsetMs: settings.clockOffsetMs,
    ...options,
  });
  await migrateRecords(database);
  await createViews(database, viewSchema());
  return database;
}
