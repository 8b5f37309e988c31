import { DependencyUnavailable } from '#domain/kernel';
import { checkMasterKey, ForeignMasterKey } from '#records/keys';
import { Database, migrateRecords, MigrationError, superuserProblem } from '#infra/postgres';
import { createLogger, parseMasterKeys, type Settings } from '#infra/runtime';
import { Keyring } from '#shared/signing';
import { type OwnMasterKey } from './data-directory/master-key.js';
import { StartRefused } from './refusal.js';

/**
 * Migrates the records to this release and checks that they were written under this key, before any child starts.
 * @throws ForeignMasterKey or StartRefused
 */
export async function prepareDatabase(
  settings: Settings,
  url: string,
  masterKey: OwnMasterKey,
): Promise<void> {
  const database = new Database({
    url,
    app: 'launcher',
    logger: createLogger({ app: 'launcher', level: 'silent' }),
    poolSize: 1,
    clockOffsetMs: settings.clockOffsetMs,
    statementTimeoutMs: 30_000,
  });
  try {
    const isOwn = settings.databaseUrl === undefined;
    const problem = isOwn ? undefined : await superuserProblem(database, settings);
    if (problem !== undefined) throw new StartRefused(problem);
    await migrateRecords(database);
    const keys = parseMasterKeys(masterKey.text);
    if ('problem' in keys) throw new StartRefused(`MASTER_KEY: ${keys.problem}`);
    await checkMasterKey(database, Keyring.from(keys));
  } catch (error) {
    // If the key was created a moment ago and is not the data's key, it has encrypted nothing.
    if (error instanceof ForeignMasterKey) await masterKey.forget();
    if (error instanceof DependencyUnavailable)
      throw new StartRefused(
        `DATABASE_URL: Postgres at ${new URL(url).host} does not answer: start it, or unset DATABASE_URL to have one started`,
        { cause: error },
      );
    if (error instanceof MigrationError) throw new StartRefused(`DATABASE_URL: ${error.message}`);
    throw error;
  } finally {
    await database.close();
  }
}
