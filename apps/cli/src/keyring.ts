import { loadDataKeys } from '#records/keys';
import { Database } from '#infra/postgres';
import { createLogger } from '#infra/runtime';
import { Keyring } from '#shared/signing';
import { type INestApplicationContext } from '@nestjs/common';

/**
 * The keyring, with the data keys of the records.
 * @param level `error` reports a damaged data key on standard error
 * @throws DependencyUnavailable
 */
export async function loadedKeyring(
  app: INestApplicationContext,
  level: 'error' | 'silent' = 'silent',
): Promise<Keyring> {
  const keyring = app.get(Keyring);
  const logger = createLogger({ app: 'cli', destination: process.stderr, level });
  await loadDataKeys(app.get(Database), keyring, logger);
  return keyring;
}
