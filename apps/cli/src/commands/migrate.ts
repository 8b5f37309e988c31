import { Database, recordsVersion, superuserProblem } from '#infra/postgres';
import { createLogger, databaseServerUrl, type Settings } from '#infra/runtime';
import { prepare, viewSchema } from '#views/view-set';
import { printJson, printLines } from '../print.js';
import { Refused } from '../refused.js';
import { serversOf } from '../servers.js';
import { settingsOrRefused } from '../settings.js';
import { plainCommand } from './plain-command.js';

export const migrate = plainCommand(
  'migrate',
  'runs the migrations of the records that have not run, and creates the set of views of this release',
  'migrate',
).action(async ({ json }: { readonly json?: true }) => {
  const settings = settingsOrRefused();
  const database = await databaseOf(settings);
  try {
    const name = settings.databaseDirectUrl === undefined ? 'DATABASE_URL' : 'DATABASE_DIRECT_URL';
    const problem = await superuserProblem(database, settings, name);
    if (problem !== undefined) throw new Refused([problem]);
    await refuseNewerRecords(database);
    const ran = await prepare(database, (name) => {
      if (!json) printLines([`ran ${name}`]);
    });
    if (json) printJson({ ran, views: viewSchema() });
    else printLines([ran.length === 0 ? 'nothing to migrate' : 'the records are migrated']);
  } finally {
    await database.close();
  }
});

/** It needs Postgres alone: neither the event store nor Redis may be there yet. */
async function databaseOf(settings: Settings): Promise<Database> {
  const url = databaseServerUrl(settings) ?? (await serversOf(settings)).databaseUrl;
  const logger = createLogger({ app: 'cli', level: 'silent' });
  return new Database({
    url,
    app: 'cli',
    logger,
    poolSize: 2,
    clockOffsetMs: settings.clockOffsetMs,
  });
}

/** @throws Refused if a later release has migrated the records: this one would be a step back */
async function refuseNewerRecords(database: Database): Promise<void> {
  const version = await recordsVersion(database);
  if (version && version.applied > version.known)
    throw new Refused([
      `the records are at migration ${version.applied}, and this release ends at ${version.known}: migrate with the newer release`,
    ]);
}
